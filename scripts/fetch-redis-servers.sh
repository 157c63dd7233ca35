#!/usr/bin/env bash
# Puts the newest Redis and Valkey that Debian has under ~/.cache/wecom-callback-gateway/debian-sid, beside whatever this
# machine runs: packages are unpacked there, not installed, so neither root nor Docker is needed. The tests find them.
set -euo pipefail

dir=${WECOM_SERVERS_DIR:-$HOME/.cache/wecom-callback-gateway/debian-sid}
packages=(redis-server valkey-server)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The mirror that apt uses here: the only one that is sure to be reached.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)
mkdir -p "$work"/{lists/partial,cache/archives/partial,unpacked}
touch "$work/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:?apt knows no mirror} sid main" > "$work/sources.list"
# An apt of its own, which knows of no installed package, so that every library comes along.
apt=(apt-get -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State="$work"
  -o Dir::State::lists="$work/lists" -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache"
  -o APT::Sandbox::User= -o Debug::NoLocking=1)
"${apt[@]}" update
"${apt[@]}" install --yes --download-only --no-install-recommends "${packages[@]}"
for package in "$work"/cache/archives/*.deb; do dpkg-deb -x "$package" "$work/unpacked"; done

# In one step, so that a run that is cut off leaves nothing half done.
mkdir -p "$(dirname "$dir")"
rm -rf "$dir"
mv "$work/unpacked" "$dir"
