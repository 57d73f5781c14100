# Helpers for the blocks of these pages. Source it in the project's folder while the sandbox runs.
#   api PATH [curl options]   calls PATH with the key of the first organisation, $ORG
#   as_staff, as_admin        the same with a token of its staff, or of the platform admin
#   once STATUS PAYMENT_ID    waits until the payment has this status
#   field EXPRESSION          prints a value of the JSON on standard input, such as .data.account_id
eval "$(node -e '
  const { base_url, orgs: [org], admin } = JSON.parse(require("fs").readFileSync(".data/sandbox.json"))
  const jwt = org.users.find(({ role }) => role === "staff").jwt
  const set = { URL: base_url, ORG: org.org_id, USER_ID: org.users[0].user_id, CORRIDOR_API_KEY: org.api_key, STAFF: jwt, ADMIN: admin.jwt }
  for (const [name, value] of Object.entries(set)) console.log(`${name}=${value}`)
')"
export CORRIDOR_API_KEY

call() { curl -sS --fail-with-body -w '\n' -H "Authorization: $1" -H "X-Api-Key: $2" -H 'Content-Type: application/json' "$URL/$3" "${@:4}"; }
api() { call NONE "$CORRIDOR_API_KEY" "$@"; }
as_staff() { call "Bearer $STAFF" NONE "$@"; }
as_admin() { call "Bearer $ADMIN" NONE "$@"; }
field() { node -p "JSON.parse(require('fs').readFileSync(0))$1"; }
once() { until api "payments/$2" | grep -q "\"status\":\"$1\""; do sleep 0.2; done; }
