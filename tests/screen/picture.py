"""picture.py write FILE.png < SCREEN | differs FILE.png < SCREEN

A screen, as `tmux capture-pane -pe` tells it, as a picture, and held against one: the text that a
picture was made of stands in it. How many fields a section hides is not looked at: no reader of a picture
counts them. Writing needs PIL and the font DejaVu Sans Mono."""
import re
import sys
import zlib

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono%s.ttf"
W, H, SIZE = 8, 17, 13  # a cell in pixels, and letters
KEY = "Screen"
BASE = [(0, 0, 0), (205, 49, 49), (13, 188, 121), (229, 229, 16), (36, 114, 200), (188, 63, 188),
        (17, 168, 205), (229, 229, 229), (102, 102, 102), (241, 76, 76), (35, 209, 139),
        (245, 245, 67), (59, 142, 234), (214, 112, 214), (41, 184, 219), (255, 255, 255)]
TEXT, GROUND = (208, 208, 208), (0, 0, 0)


def colour(n):
    """Of the 256: the first 16, a cube, greys."""
    if n < 16:
        return BASE[n]
    if n >= 232:
        return (8 + 10 * (n - 232),) * 3
    return tuple(55 + 40 * v if v else 0 for v in ((n - 16) // 36, (n - 16) // 6 % 6, (n - 16) % 6))


class Look:
    def __init__(self):
        self.reset()

    def reset(self):
        self.fg, self.bg, self.bold, self.reverse, self.line = None, None, False, False, False

    def take(self, codes):
        codes = [int(c or 0) for c in codes.split(";")]
        while codes:
            c = codes.pop(0)
            if c in (38, 48):
                codes.pop(0)
                setattr(self, "fg" if c == 38 else "bg", colour(codes.pop(0)))
            elif 30 <= c <= 37 or 90 <= c <= 97:
                self.fg = colour(c - 30 if c < 90 else c - 82)
            elif 40 <= c <= 47 or 100 <= c <= 107:
                self.bg = colour(c - 40 if c < 100 else c - 92)
            elif c == 39:
                self.fg = None
            elif c == 49:
                self.bg = None
            elif c == 0:
                self.reset()
            elif c in (1, 22):
                self.bold = c == 1
            elif c in (4, 24):
                self.line = c == 4
            elif c in (7, 27):
                self.reverse = c == 7

    def colours(self):
        pair = self.fg or TEXT, self.bg or GROUND
        return pair[::-1] if self.reverse else pair


def cells(screen):
    """Rows of (character, look): the same whatever way a release of tmux says it."""
    look, rows = Look(), []
    for row in screen.decode().rstrip("\n").split("\n"):
        rows.append([])
        for part in re.findall("\x1b\\[[0-9;]*m|.", row):
            if part[0] == "\x1b":
                look.take(part[2:-1])
            else:
                ink, ground = look.colours()
                if part == " " and not look.line:
                    ink = TEXT  # nobody sees it
                rows[-1].append((part, ink, ground, look.bold and part != " ", look.line))
        while rows[-1] and rows[-1][-1] == (" ", TEXT, GROUND, rows[-1][-1][3], False):
            rows[-1].pop()  # nothing to see
    return rows


def write(path, screen):
    from PIL import Image, ImageDraw, ImageFont, PngImagePlugin
    fonts = [ImageFont.truetype(FONT % style, SIZE) for style in ("", "-Bold")]
    rows = cells(screen)
    image = Image.new("RGB", (W * max(map(len, rows)), H * len(rows)), GROUND)
    draw = ImageDraw.Draw(image)
    for y, row in enumerate(rows):
        for x, (part, fg, bg, bold, line) in enumerate(row):
            at = (x * W, y * H)
            draw.rectangle((*at, at[0] + W - 1, at[1] + H - 1), bg)
            if part == "\u2588":  # whole cells, without a seam between lines
                draw.rectangle((*at, at[0] + W - 1, at[1] + H - 1), fg)
            elif part != " ":
                draw.text(at, part, fg, font=fonts[bold])
            if line:
                draw.line((at[0], at[1] + H - 2, at[0] + W - 1, at[1] + H - 2), fg)
    info = PngImagePlugin.PngInfo()
    info.add_text(KEY, screen.decode("latin-1"), zip=True)
    image.quantize(256).save(path, pnginfo=info, optimize=True)


def read(path):
    with open(path, "rb") as f:
        data, at = f.read(), 8
    while at < len(data):
        size, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + size]
        if kind == b"zTXt" and body.startswith(KEY.encode() + b"\0"):
            return zlib.decompress(body[len(KEY) + 2:])
        at += 12 + size
    return b""


def seen(row):
    """A row without what may differ: "(85 more: a)" and the blanks behind it."""
    text = "".join(cell[0] for cell in row)
    hidden = re.search(r"\(\d+ more: a\) *", text)
    return row[:hidden.start()] + row[hidden.end():] if hidden else row


def differs(path, screen):
    """Print the rows that do."""
    then, now = ([seen(row) for row in cells(it)] for it in (read(path), screen))
    rows = max(len(then), len(now))
    pairs = zip(then + [[]] * (rows - len(then)), now + [[]] * (rows - len(now)))
    changed = [(a, b) for a, b in pairs if a != b]
    for pair in changed:
        for sign, row in zip("<>", pair):
            print(sign, "".join(cell[0] for cell in row))
    return bool(changed)


if sys.argv[1] == "write":
    write(sys.argv[2], sys.stdin.buffer.read())
else:
    sys.exit(differs(sys.argv[2], sys.stdin.buffer.read()))
