# A Spack recipe. In a clone: make dist, put this file into packages/shardplan of a repository
# of your own (spack repo create), then
#   spack install shardplan            from the tarball, in the directory where that lies
#   spack develop -p CLONE shardplan   from the clone
import os

from spack.package import *


class Shardplan(AutotoolsPackage):
    """Plan, in the terminal, how a large language model is split over GPUs."""

    url = "file://" + os.path.join(os.getcwd(), "shardplan-0.2.0.tar.gz")

    license("MIT")

    version("0.2.0")

    variant("static", default=False, description="Link all libraries into the program")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("ncurses+termlib")
    depends_on("libconfig")
    depends_on("jansson")
    depends_on("libyaml")

    def configure_args(self):
        return self.enable_or_disable("static-program", variant="static")
