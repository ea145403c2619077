# Keycloak with its own certificate, generated at the first start, because an issuer requires https. The service trusts
# only this certificate (IDENTITY_CA_FILE). For trying out Portico: its database is lost with the container.
set -eu
umask 077
secret=$(cat /secrets/admin-password)
if [ ! -f /identity/certificate.pem ]; then
  rm -f /identity/keystore.p12
  keytool -genkeypair -alias server -keyalg EC -groupname secp256r1 -validity 3650 -dname CN=identity.localhost \
    -ext SAN=dns:identity.localhost,dns:localhost -storetype PKCS12 -keystore /identity/keystore.p12 -storepass "$secret"
  keytool -exportcert -rfc -alias server -keystore /identity/keystore.p12 -storepass "$secret" -file /identity/certificate.draft
  chmod 644 /identity/certificate.draft
  mv /identity/certificate.draft /identity/certificate.pem
fi
export KC_BOOTSTRAP_ADMIN_USERNAME=admin KC_BOOTSTRAP_ADMIN_PASSWORD="$secret"
# The realm's users admin, alice and bob have the same password.
export PORTICO_USERS_PASSWORD="$secret"
export KC_HTTPS_KEY_STORE_FILE=/identity/keystore.p12 KC_HTTPS_KEY_STORE_PASSWORD="$secret"
exec /opt/keycloak/bin/kc.sh start-dev --import-realm
