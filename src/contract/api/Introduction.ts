/** The opening page of the API reference. */

/** Test values of the sandbox, for the reference and docs/first-payment.md. */
export const testValues: ReadonlyArray<readonly [value: string, what: string]> = [
  ["Card `4000000000000002`", "declined"],
  ["Card `4000000000003220`", "redirect to hosted checkout"],
  ["Card `4000000000000119`", "never answers, look-ups neither"],
  ["Phone or bank account ending `0001`", "declined"],
  ["Phone ending `0002`", "asks for a one-time password (`123456`)"],
  ["Phone or bank account ending `0003`", "never answers"],
  ["Phone or bank account ending `0004`", "accepted, fails later"],
  ["Phone ending `0005`", "pay by link"],
  ["Phone or bank account ending `0006`", "accepted, but the answer is lost; the callback comes"],
  ["Phone or bank account ending `0007`", "answers slowly, then succeeds"],
  ["Phone or bank account ending `0008`", "succeeds, with duplicate callbacks"],
  ["Phone or bank account ending `0009`", "succeeds, with callbacks out of order"],
  ["Anything else", "accepted, completes about a second later"]
]

const valueRows = testValues.map(([value, what]) => `| ${value} | ${what} |`).join("\n")

export const introduction = `Corridor moves money in many countries behind one JSON API. The [guides](./docs/guides) explain how to use it and how to run it.

## Credentials

Every request carries two headers; the one that is not used holds the literal \`NONE\`.

| | Server-to-server | User-facing |
|---|---|---|
| \`Authorization\` | \`NONE\` | \`Bearer <JWT>\` |
| \`X-Api-Key\` | \`<API key>\` | \`NONE\` |

Both may be valid credentials when they name the same organisation; the token's user then acts. Anything else is 401, always with the same body. A valid credential whose role does not suffice is 403. Only the callback of the KYB provider comes without credentials: it is signed.

A platform admin's token needs no organisation: the object in the path decides, else \`org_id\` in query or body; lists without it show all organisations.

## Answers

Success is \`{"status": "success", "message": "…", "data": …}\` unless an operation shows another shape. An error is \`{"status": "error", "message": "…"}\`, where the message names the field and what to change; under \`/v1/payments-init\` it adds \`error\` and a \`code\`. A 500 carries a correlation id in \`error\`.

Unknown request fields are ignored; a field that is given twice is 400. Bodies are JSON objects of at most 256 KiB and 32 levels, sent as they are: with a \`Content-Encoding\` they are 415. A path has one spelling: a letter that is escaped without need, a doubled or trailing slash, or anything after \`;\` or \`#\` makes it 404. Every answer carries \`X-Request-Id\`, yours if you sent one.

## Lists

Newest first, \`limit\` 1 to 100 (default 10); a page of heavy records (over 512 KiB) ends earlier, with \`has_more\` and a cursor. While there is more, the answer carries a cursor in \`last_evaluated_key\` (also in \`meta\`); send it back as \`last_evaluated_key\`. A cursor works only for the list, the filters and the organisation it came from. Everything under \`/v1/organizations\` calls it \`lastEvaluatedKey\`. Payment links and balances come all at once without \`limit\`. A query parameter that a list does not know is 400; \`org_id\` and \`user_id\` are known to all.

## Money

Amounts are JSON numbers with their fraction (\`1500.00\`; \`1500.0\` where the currency has no minor unit) and are exact decimals throughout. A request amount has at most 15 significant digits and no more fraction digits than its currency.

## Limits

6,000 requests a minute for each credential, ten times that for all credentials of an organisation together, and 120 failed authentications a minute for each address, which never refuse a valid credential; beyond that 429 with \`Retry-After\`. A request that there is no room or time for now is 503 with \`Retry-After\`; nothing was done for it. So is one whose database was lost while it was written, or busy once a provider had been asked, where the message says that the outcome is unknown: look before you send it again, or, where it moves money, send it with the same \`Idempotency-Key\`. Operations marked as an extension go beyond the common contract.

## Test values

In the sandbox nothing moves, and what happens is chosen by the payer's side of a payin and the recipient's side of a payout. Any valid card, phone or account does; these do more:

| Value | What happens |
|---|---|
${valueRows}

"Test Request" at an operation sends it to this server with your key: in the sandbox, \`orgs[0].api_key\` of \`.data/sandbox.json\`.

## Webhooks

Every event that an endpoint can receive stands under "Events", with its payload. Deliveries are signed: \`X-Service-Signature\` is the hex HMAC-SHA256 of the raw body under the endpoint's \`secret_key\`.
`
