/*
 * faults.h - the calls by which src/file touches the disk, so that a test can make each of
 * them fail.
 *
 * The files under test are compiled once more for that test with this one before all else
 * (-include). Unlike a library that is loaded first, or symbols that the linker wraps, this
 * works with every C library and with the sanitizers.
 */
#ifndef FAULTS_H
#define FAULTS_H
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

enum fault_kind {
	FAULT_ERROR,
	FAULT_SHORT,       /* a write takes a part only */
	FAULT_KILL_BEFORE, /* kill -9 */
	FAULT_KILL_AFTER,
};

struct faults {
	enum fault_kind kind;
	int error;          /* errno of FAULT_ERROR */
	unsigned at;        /* the call that is struck, from 1; 0: none */
	unsigned one_in;    /* or by chance, one call in so many; 0: none */
	unsigned calls;     /* made so far */
	const char *struck; /* the last call that was, or NULL */
};
extern struct faults faults;

/* Numbers by chance, below n; the same for the same seed. */
void fault_seed(unsigned long seed);
unsigned fault_chance(unsigned n);

int fault_open(const char *path, int flags, mode_t mode);
int fault_close(int fd);
ssize_t fault_read(int fd, void *data, size_t n);
ssize_t fault_write(int fd, const void *data, size_t n);
int fault_fsync(int fd);
int fault_fstat(int fd, struct stat *st);
int fault_stat(const char *path, struct stat *st);
int fault_lstat(const char *path, struct stat *st);
int fault_access(const char *path, int mode);
int fault_fchmod(int fd, mode_t mode);
int fault_fchown(int fd, uid_t owner, gid_t group);
int fault_link(const char *from, const char *to);
int fault_unlink(const char *path);
int fault_rename(const char *from, const char *to);
ssize_t fault_getxattr(const char *path, const char *name, void *value, size_t size);
ssize_t fault_fgetxattr(int fd, const char *name, void *value, size_t size);
int fault_fsetxattr(int fd, const char *name, const void *value, size_t size, int flags);
int fault_fremovexattr(int fd, const char *name);
char *fault_realpath(const char *path, char *resolved);
DIR *fault_opendir(const char *path);
struct dirent *fault_readdir(DIR *dir);

/* The function itself is (open)(...). */
#define FAULT_OPEN(path, flags, mode, ...) fault_open(path, flags, mode)
#define open(...)                    FAULT_OPEN(__VA_ARGS__, 0, 0)
#define close(fd)                    fault_close(fd)
#define read(fd, data, n)            fault_read(fd, data, n)
#define write(fd, data, n)           fault_write(fd, data, n)
#define fsync(fd)                    fault_fsync(fd)
#define fstat(fd, st)                fault_fstat(fd, st)
#define stat(path, st)               fault_stat(path, st)
#define lstat(path, st)              fault_lstat(path, st)
#define access(path, mode)           fault_access(path, mode)
#define fchmod(fd, mode)             fault_fchmod(fd, mode)
#define fchown(fd, owner, group)     fault_fchown(fd, owner, group)
#define link(from, to)               fault_link(from, to)
#define unlink(path)                 fault_unlink(path)
#define rename(from, to)             fault_rename(from, to)
#define getxattr(path, name, v, n)   fault_getxattr(path, name, v, n)
#define fgetxattr(fd, name, v, n)    fault_fgetxattr(fd, name, v, n)
#define fsetxattr(fd, name, v, n, f) fault_fsetxattr(fd, name, v, n, f)
#define fremovexattr(fd, name)       fault_fremovexattr(fd, name)
#define realpath(path, resolved)     fault_realpath(path, resolved)
#define opendir(path)                fault_opendir(path)
#define readdir(dir)                 fault_readdir(dir)
#endif
