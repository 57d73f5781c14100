/** Malformed requests: broken bodies, odd headers, methods, queries and paths. */
import { gzipSync } from "node:zlib"
import type { Draw } from "./Draw.ts"
import { oddTexts } from "./EdgeValues.ts"
import type { Sent } from "./RawHttpClient.ts"

export interface MalformedRequest {
  readonly sent: Sent
  readonly about: string
}

type Malform = (sent: Sent, draw: Draw) => MalformedRequest

const JSON_TYPE = ["content-type", "application/json"] as const

const without = (headers: Sent["headers"], name: string): Sent["headers"] => headers.filter(([one]) => one !== name)

const withBody = (sent: Sent, body: Buffer, type: string | undefined): Sent => ({
  ...sent,
  body,
  headers: [...without(sent.headers, "content-type"), ...(type === undefined ? [] : [["content-type", type] as const])]
})

const bodies: Readonly<Record<string, (whole: Buffer, draw: Draw) => Buffer>> = {
  garbage: (_, draw) => draw.bytes(draw.between(1, 200)),
  "cut short": (whole, draw) => whole.subarray(0, draw.below(whole.length + 1)),
  "one byte changed": (whole, draw) => {
    const copy = Buffer.from(whole)
    if (copy.length > 0) copy[draw.below(copy.length)] = draw.below(256)
    return copy
  },
  "a byte order mark": (whole) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), whole]),
  "UTF-16": (whole) => Buffer.from(whole.toString("utf8"), "utf16le"),
  "overlong UTF-8": (whole) => Buffer.concat([whole.subarray(0, -1), Buffer.from([0xc0, 0xaf, 0x7d])]),
  "an encoded surrogate": () => Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
  twice: (whole) => Buffer.concat([whole, whole]),
  nothing: () => Buffer.alloc(0),
  blanks: () => Buffer.from(" \r\n\t "),
  "no object": (_, draw) => Buffer.from(draw.pick(["[]", "null", "7", '"text"', "true", "[[]]", "[null]", "[1,2]"])),
  "deep nesting": () => Buffer.from("[".repeat(100_000)),
  "too much": (_, draw) => Buffer.alloc(draw.pick([256 * 1024 + 1, 600_000]), 0x20),
  "nearly too much": () => Buffer.from(`{"x":"${"y".repeat(256 * 1024 - 8)}"}`),
  "many fields": () => Buffer.from(`{${Array.from({ length: 20_000 }, (_, at) => `"k${at}":1`).join(",")}}`),
  "a form": () => Buffer.from("amount=1&currency=KES")
}

const types = [
  ...["text/plain", "", "application/xml", "multipart/form-data", "application/x-www-form-urlencoded", "json"],
  ...["application/json; charset=utf-7", 'application/json; charset="', "application/json, text/html", "*/*"],
  ...["application/json;charset=UTF-8", "application/vnd.api+json", "x".repeat(3000)]
]

const oddBody: Malform = (sent, draw) => {
  const [about, make] = draw.pick(Object.entries(bodies))
  const type = draw.happens(0.7) ? JSON_TYPE[1] : draw.pick([undefined, ...types])
  return {
    about: `a body of ${about} as ${type?.slice(0, 40)}`,
    sent: withBody(sent, make(sent.body ?? Buffer.from("{}"), draw), type)
  }
}

const oddType: Malform = (sent, draw) => {
  const type = draw.pick([undefined, ...types])
  return { about: `content type ${type?.slice(0, 40)}`, sent: withBody(sent, sent.body ?? Buffer.from("{}"), type) }
}

const packed: Malform = (sent, draw) => {
  const encoding = draw.pick(["gzip", "br", "deflate", "identity, gzip", "x", ""])
  const body = gzipSync(sent.body ?? Buffer.from("{}"))
  return {
    about: `packed as ${encoding}`,
    sent: { ...withBody(sent, body, JSON_TYPE[1]), headers: [...sent.headers, ["content-encoding", encoding]] }
  }
}

const oddHeaders: ReadonlyArray<readonly [string, string]> = [
  ["x-request-id", "../../x"],
  ["x-request-id", "y".repeat(4000)],
  ["idempotency-key", ""],
  ["idempotency-key", "k".repeat(256)],
  ["idempotency-key", "schlüssel\u00ff"],
  ["idempotency-key", "a\tb"],
  ["expect", "100-continue"],
  ["x-forwarded-for", "127.0.0.1, 10.0.0.1, not-an-address"],
  ["x-forwarded-host", "evil.example"],
  ["forwarded", 'for="[::1]:80";host=evil'],
  ["x-http-method-override", "DELETE"],
  ["x-original-url", "/v1/organizations"],
  ["x-rewrite-url", "/v1/organizations"],
  ["accept", "text/html"],
  ["accept", "x".repeat(2000)],
  ["accept-language", "fr;q=nan, *;q=9".repeat(100)],
  ["accept-encoding", "gzip, br"],
  ["range", "bytes=0-1"],
  ["if-none-match", "*"],
  ["origin", "null"],
  ["origin", "https://evil.example"],
  ["cookie", "a=b; ".repeat(400)],
  ["traceparent", "00-zz-zz-00"],
  ["connection", "close"],
  ["te", "trailers"],
  ["upgrade-insecure-requests", "1"],
  ["x-api-key", "NONE"],
  ["authorization", "Basic YTpi"],
  ["content-md5", "x"],
  ["date", "never"]
]

const oddHeader: Malform = (sent, draw) => {
  const [name, value] = draw.pick(oddHeaders)
  return { about: `${name}: ${value.slice(0, 40)}`, sent: { ...sent, headers: [...sent.headers, [name, value]] } }
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "LINK"]

/** Members of our organisation are needed by later requests. */
const isOfMember = ({ target }: Sent): boolean => /\/members\/[^/?]+$/.test(target)

const oddMethod: Malform = (sent, draw) => {
  const method = draw.pick(methods.filter((one) => one !== "QUERY" && !(one === "DELETE" && isOfMember(sent))))
  return { about: `by ${method}`, sent: { ...sent, method } }
}

const queries = [
  ...["?", "&&&", "=", "limit", "limit=", "limit=1&limit=2", "limit[]=1", "limit[$gt]=1", "limit=1e1", "limit=0x5"],
  ...["limit=%", "limit=%31", "limit=+5", "limit=5%20", "limit=-1", "limit=101", "limit=9999999999999999999"],
  ...["org_id=%00", "org_id=%ff%fe", "org_id=%ed%a0%80", "org_id=a&org_id=b", "__proto__=1", "__proto__[a]=1"],
  ...["constructor=1", "toString=1", "hasOwnProperty=1", "x=".padEnd(6000, "y"), "a=1&".repeat(800)],
  ...["last_evaluated_key=AAAA", "lastEvaluatedKey=%7B%7D", "status=completed&status=failed", "from=now&to=then"],
  ...["from=0000-01-01&to=9999-12-31", "dateFrom=2026-01-01&dateTo=2027-06-01", "amount=1e309", "amount=NaN"]
]

const oddQuery: Malform = (sent, draw) => {
  const query = draw.pick(queries)
  const [path = ""] = sent.target.split("?", 1)
  return { about: `?${query.slice(0, 60)}`, sent: { ...sent, target: `${path}?${query}` } }
}

const spellings: ReadonlyArray<(path: string) => string> = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.replace("/v1/", "/v1//"),
  (path) => path.replace("/v1/", "/v1/./"),
  (path) => path.replace("/v1/", "/v1/x/../"),
  (path) => path.replace("/v1/", "/v1/x/..%2f"),
  (path) => path.replace("/v1/", "/V1/"),
  (path) => path.replace("/v1/", "/v1%2f"),
  (path) => path.replace("/v1/", "/%76%31/"),
  (path) => `${path};a=b`,
  (path) => `${path}%00`,
  (path) => `${path}%20`,
  (path) => `${path}.json`,
  (path) => `${path}%c0%af`,
  (path) => `${path}\\..`,
  (path) => path.toUpperCase(),
  (path) => `http://evil.example${path}`,
  (path) => `${path}#x`,
  (path) => path.replace(/\/[^/]+$/, ""),
  (path) => `${path}/${"y/".repeat(300)}`
]

const oddPath: Malform = (sent, draw) => {
  const [path = "", query] = sent.target.split("?", 2)
  const target = `${draw.pick(spellings)(path)}${query === undefined ? "" : `?${query}`}`
  return { about: `spelled ${target.slice(0, 80)}`, sent: { ...sent, target } }
}

const others: ReadonlyArray<readonly [string, string]> = [
  ...[
    "stripe",
    "adyen",
    "paypal",
    "paystack",
    "flutterwave",
    "mtn_momo",
    "pawapay",
    "circle",
    "coinbase",
    "mpesa"
  ].flatMap((name) => [
    ["POST", `/callbacks/${name}`] as const,
    ["PUT", `/callbacks/${name}/0199c2a4-7b10-7d01-8a5e-1c2d3e4f5a6b`] as const
  ]),
  ...["fiat", "crypto", "hybrid", "manual", "nobody", "__proto__", "%00"].map(
    (name) => ["POST", `/callbacks/${name}`] as const
  ),
  ["HEAD", "/callbacks/fiat"],
  ["GET", "/pay/x"],
  ["POST", "/pay/x"],
  ["GET", "/pay/x/y"],
  ["POST", "/pay/x/y"],
  ["GET", "/checkout/x?t=y"],
  ["POST", "/checkout/0199c2a4-7b10-7d01-8a5e-1c2d3e4f5a6b?t=%00"],
  ["GET", "/checkout/x/return?t=y&t=z"],
  ["GET", "/healthz"],
  ["HEAD", "/readyz"],
  ["GET", "/docs"],
  ["GET", "/metrics"],
  ["GET", "/openapi.json"],
  ["GET", "/"],
  ["GET", "/favicon.ico"],
  ["OPTIONS", "*"]
]

const proofs = [
  ...["stripe-signature", "hmacsignature", "x-paystack-signature", "verif-hash", "signature", "signature-input"],
  ...["content-digest", "x-reference-id", "x-hook0-signature", "x-amz-sns-message-type", "paypal-transmission-sig"],
  ...["paypal-cert-url", "paypal-transmission-time", "paypal-auth-algo", "x-signature", "x-kyb-signature"]
]

const proofLike = [
  ...["", "t=1,v1=00", "t=9999999999,v1=", "v1", "=,=,=", "0".repeat(64), "z".repeat(128), "sha256=00"],
  ...['sig1=("@method" "@path");created=1;keyid="x"', "sig1=:AAAA:", "sha-512=:AAAA:", "sig1=(", '"', ";;;"],
  ...["https://evil.example/cert", "https://api.paypal.com.evil.example/c", "Notification", "SubscriptionConfirmation"]
]

const said = [
  '{"id":"x","type":"y","data":{"object":{}}}',
  '{"Type":"Notification","Message":"{}"}',
  "[]",
  '{"a":1,"a":2}'
]

/** Callback with random proofs. */
const callback: Malform = (sent, draw) => {
  const [method, target] = draw.pick(others.filter(([, one]) => one.startsWith("/callbacks/")))
  const headers = Array.from({ length: draw.between(1, 3) }, () => [draw.pick(proofs), draw.pick(proofLike)] as const)
  const body = Buffer.from(draw.pick(said))
  return {
    about: `a callback with ${headers.map(([name]) => name).join(", ")}`,
    sent: { method, target, headers: [...without(sent.headers, "content-type"), JSON_TYPE, ...headers], body }
  }
}

/** Pages and callbacks, which are not in the document. */
const elsewhere: Malform = (sent, draw) => {
  const [method, target] = draw.pick(others)
  const { body: _, ...bodiless } = sent
  const moved = { ...(["GET", "HEAD"].includes(method) ? bodiless : sent), method, target }
  const gone = method === "POST" || method === "PUT" ? oddBody(moved, draw) : { sent: moved, about: "" }
  return { ...gone, about: `elsewhere ${gone.about}` }
}

const oddCredential: Malform = (sent, draw) => {
  const name = draw.pick(["authorization", "x-api-key"])
  const value = encodeURIComponent(draw.pick(oddTexts).slice(0, 3000).toWellFormed())
  const odd = draw.pick([
    value,
    `Bearer ${value}`,
    "none",
    "NONE ",
    "Bearer",
    "Bearer a.b.c",
    "bearer NONE",
    "NONE, NONE"
  ])
  return {
    about: `${name}: ${odd.slice(0, 40)}`,
    sent: { ...sent, headers: [...without(sent.headers, name), [name, odd]] }
  }
}

const malforms = [
  ...[oddBody, oddBody, oddBody, oddType, packed, oddHeader, oddHeader, oddMethod, oddQuery, oddQuery, oddPath],
  ...[elsewhere, callback, oddCredential]
]

export const malformed: Malform = (sent, draw) => draw.pick(malforms)(sent, draw)
