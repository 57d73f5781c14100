/** Malformed bytes at the socket: one request is never read as two. */
import { connect } from "node:net"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Draw } from "./Draw.ts"
import { people } from "../support/TestCredentials.ts"
import { onServer, TestServer } from "../support/TestServer.ts"

const LONGEST_MILLIS = 5000

/** Sends bytes and returns everything until the server closes. */
const answerTo = (bytes: string | Buffer) =>
  Effect.flatMap(TestServer, ({ port }) =>
    Effect.async<string>((resume) => {
      const socket = connect(port, "127.0.0.1")
      let answer = ""
      const done = (more = "") => {
        clearTimeout(timer)
        socket.destroy()
        resume(Effect.succeed(answer + more))
      }
      const timer = setTimeout(() => done("HANGS"), LONGEST_MILLIS)
      socket.setEncoding("latin1")
      socket.on("data", (chunk: string) => (answer += chunk))
      socket.on("error", () => done())
      socket.on("close", () => done())
      socket.end(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes, "latin1"))
    })
  )

const statusesIn = (answer: string): ReadonlyArray<number> =>
  Array.from(answer.matchAll(/(?:^|\r\n|\})HTTP\/1\.1 (\d{3})/g), ([, status]) => Number(status))

const SECOND = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

const post = (headers: string, body: string): string =>
  `POST /v1/public/api-keys HTTP/1.1\r\nHost: a\r\nAuthorization: NONE\r\nX-Api-Key: NONE\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`

const get = (line: string, headers = "Host: a\r\n"): string => `${line}\r\n${headers}Connection: close\r\n\r\n`

const chunked = (body: string): string => post("Transfer-Encoding: chunked", `${body}${SECOND}`)

const measured = (length: string): string => post(`Content-Length: ${length}`, `{}${SECOND}`)

const coded = (coding: string): string => post(coding, `0\r\n\r\n${SECOND}`)

/** Refused by its head, and perhaps again for its unfinished body. */
const UNFINISHED = "unfinished"

/** Name, bytes and expected statuses; a second status answers a second request. */
const shapes: ReadonlyArray<readonly [string, string, ReadonlyArray<number> | typeof UNFINISHED]> = [
  ["a length and chunks", post("Content-Length: 5\r\nTransfer-Encoding: chunked", `0\r\n\r\n${SECOND}`), [400]],
  ["chunks and a length", post("Transfer-Encoding: chunked\r\nContent-Length: 5", `0\r\n\r\n${SECOND}`), [400]],
  ["two lengths that differ", post("Content-Length: 2\r\nContent-Length: 60", `{}${SECOND}`), [400]],
  ["two lengths alike", post("Content-Length: 2\r\nContent-Length: 2", `{}${SECOND}`), [400]],
  ...["2, 2", "+2", "-2", "0x2", "", "99999999999999999999999", "2 2", "2.0", "2e0"].map(
    (length) => [`a length of ${length}`, measured(length), [400]] as const
  ),
  ["an unknown coding", coded("Transfer-Encoding: xchunked"), UNFINISHED],
  ["chunks that are not last", coded("Transfer-Encoding: chunked, identity"), [400]],
  ["a packed transfer", coded("Transfer-Encoding: gzip"), UNFINISHED],
  ["two codings", coded("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"), [400]],
  ["a coding behind a vertical tab", coded("Transfer-Encoding:\x0bchunked"), [400]],
  ["a coding in quotes", coded('Transfer-Encoding: "chunked"'), UNFINISHED],
  ["a space before the colon", coded("Transfer-Encoding : chunked"), [400]],
  ["a folded coding", coded("Transfer-Encoding:\r\n chunked"), [400]],
  ["a coding in capitals, and what follows it", coded("Transfer-Encoding: CHUNKED"), [401, 200]],
  ["a folded header", post("X: a\r\n b\r\nContent-Length: 2", `{}${SECOND}`), [400]],
  ["a chunk of negative size", chunked("-1\r\n{}\r\n0\r\n\r\n"), UNFINISHED],
  ["a chunk of hexadecimal spelling", chunked("0x2\r\n{}\r\n0\r\n\r\n"), UNFINISHED],
  ["a chunk of more than all bytes", chunked("ffffffffffffffffff\r\n{}\r\n0\r\n\r\n"), UNFINISHED],
  ["a chunk whose extension holds a line feed", chunked("2;a\nb\r\n{}\r\n0\r\n\r\n"), UNFINISHED],
  ["a chunk with a long extension", chunked(`2;${"a".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`), UNFINISHED],
  ["chunks that end in line feeds", chunked("2\n{}\n0\n\n"), UNFINISHED],
  ["a chunk and a space", chunked("2 \r\n{}\r\n0\r\n\r\n"), UNFINISHED],
  ["a chunk that is longer than it says", chunked("1\r\n{}\r\n0\r\n\r\n"), UNFINISHED],
  ["a credential behind the chunks", chunked("2\r\n{}\r\n0\r\nX-Api-Key: KEY\r\n\r\n"), [401, 200]],
  ["lines that end in line feeds", "GET /healthz HTTP/1.1\nHost: a\n\n", [400]],
  ["lines that end in carriage returns", "GET /healthz HTTP/1.1\rHost: a\r\r", [400]],
  ["a header that ends in a line feed", get("GET /healthz HTTP/1.1", "Host: a\nX: y\r\n"), [400]],
  ["no host", get("GET /healthz HTTP/1.1", ""), [400]],
  ["two hosts", get("GET /healthz HTTP/1.1", "Host: a\r\nHost: b\r\n"), [400]],
  ["the same host twice", get("GET /healthz HTTP/1.1", "Host: a\r\nhost: a\r\n"), [400]],
  ["a version to come", get("GET /healthz HTTP/1.2"), [400]],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400]],
  ["a method in small letters", get("get /healthz HTTP/1.1"), [400]],
  ["an unknown method", get("FROB /healthz HTTP/1.1"), [400]],
  ["a tunnel", "CONNECT evil:80 HTTP/1.1\r\nHost: evil:80\r\n\r\n", []],
  ["an upgrade", get("GET /healthz HTTP/1.1", "Host: a\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"), [200]],
  ["everything", get("OPTIONS * HTTP/1.1"), [404]],
  ["an echo", get("TRACE /healthz HTTP/1.1"), [404]],
  ["another machine's address", get("GET http://evil/healthz HTTP/1.1"), [404]],
  ["two targets", get("GET /healthz /x HTTP/1.1"), [400]],
  ["tabs for spaces", get("GET\t/healthz\tHTTP/1.1"), [400]],
  ["a NUL in its target", get("GET /health\0z HTTP/1.1"), [400]],
  ["a byte above all letters in its target", get("GET /health\xffz HTTP/1.1"), [400]],
  ["an overlong slash", get("GET /v1/public%c0%afapi-keys HTTP/1.1"), [404]],
  ["a way up", get("GET /v1/..%2f..%2fhealthz HTTP/1.1"), [404]],
  ["two slashes", get("GET //healthz HTTP/1.1"), [404]],
  ["a NUL at its end", get("GET /healthz%00 HTTP/1.1"), [404]],
  ["a NUL in a header", get("GET /healthz HTTP/1.1", "Host: a\r\nX: a\0b\r\n"), [400]],
  ["a header without a colon", get("GET /healthz HTTP/1.1", "Host: a\r\nnonsense\r\n"), [400]],
  ["a header without a name", get("GET /healthz HTTP/1.1", "Host: a\r\n: x\r\n"), [400]],
  ["an unknown expectation", get("GET /healthz HTTP/1.1", "Host: a\r\nExpect: the-impossible\r\n"), [417]],
  ["headers without end", get(`GET /${"a".repeat(20_000)} HTTP/1.1`), [431]],
  ["a space before all", ` ${SECOND}`, [400]],
  ["a greeting of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", [400]],
  [
    "a request inside the body of another",
    `GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: ${SECOND.length}\r\nConnection: close\r\n\r\n${SECOND}`,
    [200]
  ],
  [
    "three in a row",
    `GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /nothing HTTP/1.1\r\nHost: a\r\n\r\n${SECOND}`,
    [200, 404, 200]
  ]
]

/** Valid requests to mutate. */
const bases = (key: string): ReadonlyArray<string> => [
  SECOND,
  post("Content-Length: 2\r\nConnection: close", "{}"),
  chunked("2\r\n{}\r\n0\r\n\r\n"),
  `GET /v1/public/api-keys?limit=1 HTTP/1.1\r\nHost: a\r\nAuthorization: NONE\r\nX-Api-Key: ${key}\r\nConnection: close\r\n\r\n`
]

const telling = [0x00, 0x0a, 0x0d, 0x20, 0x09, 0x3a, 0x2c, 0x3b, 0x2f, 0x25, 0x7f, 0x80, 0xff]

/** Changes, inserts, removes or doubles one to four bytes. */
const spoiled = (bytes: Buffer, draw: Draw): Buffer => {
  let now = bytes
  for (let times = draw.between(1, 4); times > 0; times--) {
    const at = draw.below(now.length)
    const byte = Buffer.from([draw.happens(0.7) ? draw.pick(telling) : draw.below(256)])
    const ways = [
      () => Buffer.concat([now.subarray(0, at), byte, now.subarray(at + 1)]),
      () => Buffer.concat([now.subarray(0, at), byte, now.subarray(at)]),
      () => Buffer.concat([now.subarray(0, at), now.subarray(at + 1)]),
      () => Buffer.concat([now.subarray(0, at), now.subarray(Math.max(0, at - 30), at), now.subarray(at)])
    ]
    now = draw.pick(ways)()
  }
  return now
}

const FIXED = ["x-content-type-options: nosniff", "cache-control: no-store"]

onServer("A socket", "memory", {}, (it) => {
  it.effect.each(shapes)("with %s", ([what, bytes, statuses]) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const answer = yield* answerTo(bytes.replace("KEY", acme.api_key))
      const given = statusesIn(answer)
      const wanted = statuses === UNFINISHED ? [401, 400].slice(0, Math.max(1, given.length)) : statuses
      expect(given, `${what}: ${answer}`).toEqual(wanted)
      for (const header of FIXED) {
        expect(answer.toLowerCase().split(header).length - 1, `${header} of ${what}`).toBe(given.length)
      }
    })
  )

  it.effect("reads credentials only from headers of the exact name", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const ask = (headers: string) =>
        answerTo(get("GET /v1/public/api-keys HTTP/1.1", `Host: a\r\nAuthorization: NONE\r\n${headers}\r\n`))
      expect(statusesIn(yield* ask(`X-Api-Key: ${acme.api_key}`))).toEqual([200])
      expect(statusesIn(yield* ask(`Connection: X-Api-Key\r\nX-Api-Key: ${acme.api_key}`))).toEqual([200])
      expect(statusesIn(yield* ask(`X_Api_Key: ${acme.api_key}`))).toEqual([401])
      expect(statusesIn(yield* ask(`X-Api-Key: NONE\r\nX-Forwarded-Api-Key: ${acme.api_key}`))).toEqual([401])
      expect(statusesIn(yield* ask(`X-Api-Key: ${acme.api_key}\r\nX-API-KEY: NONE`))).toEqual([401])
    })
  )

  it.effect("answers or closes after mutated requests, without errors", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { logs } = yield* TestServer
      const all = bases(acme.api_key).map((text) => Buffer.from(text, "latin1"))
      for (let number = 0; number < 400; number++) {
        const draw = new Draw(1, `bytes ${number}`)
        const bytes = spoiled(draw.pick(all), draw)
        const answer = yield* answerTo(bytes)
        const reported = `request ${number}: ${JSON.stringify(bytes.toString("latin1"))} → ${answer}`
        expect(answer.endsWith("HANGS"), reported).toBe(false)
        expect(
          statusesIn(answer).filter((status) => status >= 500),
          reported
        ).toEqual([])
        expect(statusesIn(answer).length, reported).toBeLessThan(4)
      }
      expect(statusesIn(yield* answerTo(SECOND))).toEqual([200])
      expect(logs.filter(({ level }) => level === "Error")).toEqual([])
    })
  )
})
