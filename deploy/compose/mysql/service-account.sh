#!/bin/sh
# Run by MySQL's image with the first start of an empty volume. The service changes rows and never tables.
mysql -u root -p"$MYSQL_ROOT_PASSWORD" <<SQL
CREATE USER 'wecom'@'%' IDENTIFIED BY '$(cat /run/secrets/mysql_password)';
GRANT SELECT, INSERT, UPDATE, DELETE ON wecom.* TO 'wecom'@'%';
SQL
