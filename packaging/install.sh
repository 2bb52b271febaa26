#!/bin/sh
# Installs Grus from the unpacked archive that this file is in, and registers it with OpenCL's ICD loaders.
#
#   ./install.sh [--prefix DIR] [--vendors DIR]
#   ./install.sh [--prefix DIR] --uninstall        (also as PREFIX/share/grus/install.sh --uninstall)
#
# --prefix     where to: /usr/local for root, ~/.local for others
# --vendors    the vendors folder to register in: /etc/OpenCL/vendors for root, which all loaders read; for others
#              PREFIX/etc/OpenCL/vendors, which a loader reads where OCL_ICD_VENDORS names it
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix= vendors= uninstall=

fail() { echo "install.sh: $1" >&2; exit "${2:-1}"; }

while [ $# -gt 0 ]; do
    case $1 in
        --prefix | --vendors) [ $# -gt 1 ] || fail "$1 wants a folder" 2 ;;
    esac
    case $1 in
        --prefix) prefix=$2; shift ;;
        --vendors) vendors=$2; shift ;;
        --uninstall) uninstall=yes ;;
        -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) fail "there is no option $1 (--help)" 2 ;;
    esac
    shift
done

# An installed copy knows its prefix.
case $here in */share/grus) prefix=${prefix:-${here%/share/grus}} ;; esac
if [ "$(id -u)" = 0 ]; then
    prefix=${prefix:-/usr/local} vendors=${vendors:-/etc/OpenCL/vendors}
fi
prefix=${prefix:-$HOME/.local}

absolute() { case $1 in /*) echo "$1" ;; *) echo "$(pwd)/$1" ;; esac; }
prefix=$(absolute "$prefix")
vendors=$(absolute "${vendors:-$prefix/etc/OpenCL/vendors}")
# What is installed, and the folders made for it, which end with a slash, in the order in which they can be removed. Lines
# are relative to the prefix, or whole paths.
list=$prefix/share/grus/files

remove() {
    lines=$(cat "$list")
    rm "$list"
    echo "$lines" | while IFS= read -r path; do
        case $path in /*) ;; *) path=$prefix/$path ;; esac
        # Folders that others have put something into stay.
        case $path in */) rmdir "$path" 2>/dev/null || true ;; *) rm -f "$path" ;; esac
    done
}

# Makes a folder and those that it is in, and prints the new ones, the outermost first.
make() {
    [ -d "$1" ] && return
    make "$(dirname "$1")"
    mkdir "$1"
    echo "$1/"
}

if [ -n "$uninstall" ]; then
    [ -f "$list" ] || fail "nothing is installed in $prefix"
    remove
    echo "Grus is removed from $prefix."
    exit 0
fi

[ -f "$here/lib/libgrus.so" ] || fail "$here is not an unpacked archive of Grus"
[ "$here" != "$prefix" ] || fail "the archive is unpacked in the prefix itself"
# What an older version had and this one has not goes as well.
[ ! -f "$list" ] || remove
made=$(make "$prefix"; make "$vendors"; cd "$here"; find bin lib share -type d | sort |
    while IFS= read -r folder; do make "$prefix/$folder"; done; make "$prefix/share/grus")
# First the list, so that what comes to be can be removed, whatever fails.
{
    (cd "$here" && find bin lib share -type f)
    printf '%s\n' share/grus/install.sh "$vendors/grus.icd"
    echo "$made" | sed '1!G;h;$!d'
} > "$list"
(cd "$here" && tar -cf - bin lib share) | (cd "$prefix" && tar -xof -)
cp "$here/install.sh" "$prefix/share/grus/install.sh"
echo "$prefix/lib/libgrus.so" > "$vendors/grus.icd"

echo "Grus is installed in $prefix and registered in $vendors."
if [ "$vendors" != /etc/OpenCL/vendors ]; then
    echo "ICD loaders read that folder, instead of the system's, where this is set:"
    echo "export OCL_ICD_VENDORS=$vendors"
fi
