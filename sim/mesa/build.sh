#!/usr/bin/env bash
# Builds Debian's Mesa, unmodified but for a device that draws with libvc4sim: build.sh PREFIX, 15 minutes on two cores, where
# `vc4 gl build` has installed the library with its headers.
# Needs Debian 12, deb-src among its sources, and what `needs` lists.
set -euo pipefail
prefix=$(realpath -m "$1")
here=$(cd "$(dirname "$0")" && pwd)
needs=(libdrm-dev libexpat1-dev zlib1g-dev libzstd-dev bison flex pkg-config python3-mako meson libudev-dev libelf-dev
    libgbm-dev libgles-dev libegl-dev libglvnd-dev libgles2 dpkg-dev gcc g++)

missing=()
for package in "${needs[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing+=("$package")
done
if ((${#missing[@]})); then
    echo "vc4: Mesa needs more packages: apt-get install ${missing[*]}" >&2
    exit 2
fi

work="$prefix/build"
mkdir -p "$work"
cd "$work"
ls mesa_*.orig.tar.* >/dev/null 2>&1 || apt-get source --download-only mesa || {
    echo "vc4: there is no source of Mesa: add deb-src to the sources of apt, and apt-get update" >&2
    exit 2
}
ls -d mesa-*/ >/dev/null 2>&1 || tar xf mesa_*.orig.tar.*
source=$(ls -d "$work"/mesa-*/)

# The device lies beside the one of Mesa that does nothing, and is made from the same parts.
shim="$source/src/broadcom/drm-shim"
cp "$here/vc4_drm_shim.c" "$here/fake_display.c" "$prefix/include/"{vc4sim,v3d}.h "$shim/"
sed -i '/^# Added: /,$d' "$shim/meson.build"
cat "$here/meson.build" >>"$shim/meson.build"

# Debian's Python has what Mesa's scripts import.
export PATH=/usr/bin:/bin:/usr/sbin:/sbin
[ -d out ] || meson setup out "$source" -Dbuildtype=debugoptimized -Db_ndebug=true -Dprefix="$prefix" -Dlibdir=lib \
    -Dplatforms= -Degl=enabled -Dgles1=disabled -Dgles2=enabled -Dopengl=true -Dglx=disabled -Dgbm=enabled -Dglvnd=true \
    -Dllvm=disabled -Dvulkan-drivers= -Dgallium-drivers=vc4,swrast -Dtools=drm-shim -Dshared-glapi=enabled \
    -Dvalgrind=disabled -Dlibunwind=disabled -Dgallium-vdpau=disabled -Dgallium-va=disabled -Dgallium-xa=disabled \
    -Dlmsensors=disabled -Dbuild-tests=false -Dosmesa=false -Dvideo-codecs=
ninja -C out install
