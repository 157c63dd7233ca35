#!/bin/sh
# Makes what docker-compose.yml takes from ./secrets: passwords by chance, and the addresses that hold them. Run it in the
# folder of docker-compose.yml. What is there already stays.
set -eu
folder=${1:-secrets}
mkdir -p "$folder"
# The folder keeps others of this machine out; the files themselves must be readable by the users inside the containers.
chmod 700 "$folder"

# Letters and digits only: these stand in addresses and commands.
chance() { LC_ALL=C tr -dc 'A-Za-z0-9' < /dev/urandom | head -c 40; }
put() {
  [ -e "$folder/$1" ] || printf '%s\n' "$2" > "$folder/$1"
  chmod 644 "$folder/$1"
}
get() { cat "$folder/$1"; }

put admin_token "$(chance)"
put mysql_root_password "$(chance)"
put mysql_owner_password "$(chance)"
put mysql_password "$(chance)"
put owner_database_url "mysql://wecom_owner:$(get mysql_owner_password)@mysql:3306/wecom"
put database_url "mysql://wecom:$(get mysql_password)@mysql:3306/wecom"
if [ ! -e "$folder/redis_acl" ] || [ ! -e "$folder/redis_url" ]; then
  rm -f "$folder/redis_acl" "$folder/redis_url"
  password=$(chance)
  # The rights that docs/operations.md names. Who has no password may ask whether the server is there.
  put redis_acl "user default on nopass resetkeys resetchannels -@all +ping
user wecom on >$password resetkeys resetchannels ~wecom:event:* ~wecom:lock:* -@all +evalsha +eval +get +set +setrange +exists +del +time +info +client|setname +select"
  put redis_url "redis://wecom:$password@redis:6379/0"
fi
[ -e "$folder/apps.yaml" ] || echo "now put your apps into $folder/apps.yaml (chmod 644)"
