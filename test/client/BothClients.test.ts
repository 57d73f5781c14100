/** The clients in JavaScript and in Python do the same against the service. */
import { mkdtempSync, rmSync, writeFileSync, readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll } from "vitest"
import { serviceSignature, standardSignature } from "../../src/domain/Digest.ts"
import { people } from "../support/TestCredentials.ts"
import { onServer, TestServer } from "../support/TestServer.ts"
import { hasPython, installClients, outputOf } from "./support/ClientPackages.ts"

const folder = mkdtempSync(join(tmpdir(), "corridor-both-clients-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const NOW = 1_800_000_000

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`
const [secret, former] = [secretOf(1), secretOf(2)]

const body = '{"event_id":"e","event_type":"payment.completed","data":{"amount": 12345678901.10, "note":"Grüße ☃"}}'

const headersOf = (secrets: ReadonlyArray<string>, timestamp = NOW): Readonly<Record<string, string>> => ({
  "Webhook-Id": "e",
  "Webhook-Timestamp": String(timestamp),
  "Webhook-Signature": standardSignature(secrets, { id: "e", timestamp: String(timestamp), body }),
  "X-Service-Signature": serviceSignature(secrets.at(-1)!, body)
})

const good = { body, headers: headersOf([secret]), now: NOW, secret }

const deliveries = {
  good,
  changed: { ...good, body: body.replace("12345678901.10", "92345678901.10") },
  forged: { ...good, secret: former },
  "four minutes old": { ...good, headers: headersOf([secret], NOW - 240) },
  "six minutes old": { ...good, headers: headersOf([secret], NOW - 360) },
  "six minutes ahead": { ...good, headers: headersOf([secret], NOW + 360) },
  "during a rotation": { ...good, headers: headersOf([secret, former]) },
  "with the former secret": { ...good, headers: headersOf([secret, former]), secret: former },
  "with both secrets": { ...good, secret: [former, secret] },
  "without the standard headers": { ...good, headers: { "x-service-signature": serviceSignature(secret, body) } },
  "by the service's header alone": {
    ...good,
    headers: { "x-service-signature": serviceSignature(secret, body) },
    only: "service"
  },
  "another signature of the service": { ...good, headers: { ...headersOf([secret]), "X-Service-Signature": "00" } },
  "an empty secret": { ...good, secret: "" },
  "a signature that is cut off": { ...good, headers: { ...headersOf([secret]), "Webhook-Signature": "v1,abcde" } },
  "a signature that is no base64": { ...good, headers: { ...headersOf([secret]), "Webhook-Signature": "v1,A" } },
  "an id that is no Unicode": { ...good, headers: { ...headersOf([secret]), "Webhook-Id": "\udcff" } },
  "a header that was not sent": { ...good, headers: { ...headersOf([secret]), "Webhook-Signature": null } }
}

const SIGNED = "payment.completed 12345678901.10"

const expected: Readonly<Record<string, unknown>> = {
  payin: ["processing", "1500.50", "KES"],
  "payout that is declined": { status: 502, code: "ALL_PROVIDERS_FAILED", field: null },
  "pages, by both names of the cursor": [
    ["Three", "Two", "One"],
    ["member", "org-admin", "staff"]
  ],
  "the same key is the same payment": [true, false],
  "another body with the same key": { status: 409, code: "IDEMPOTENCY_CONFLICT", field: null },
  "retries a payment after 503 and a lost answer": "processing",
  "retries a read after 503 and a lost answer": "success",
  "sends what no key protects once": { status: 503, code: null, field: null },
  "waits after 429, also without a key": "Till",
  "waits while the first request with its key is running": "processing",
  "does not wait for an hour": { status: 503, code: null, field: null },
  "does not read a wait of thousands of digits": { status: 503, code: null, field: null },
  "takes a refusal as it is": { status: 500, code: null, field: null },
  "returns the key of a payment whose outcome is not known": [504, "processing"],
  "verifies webhooks": {
    good: SIGNED,
    changed: "webhook-signature",
    forged: "webhook-signature",
    "four minutes old": SIGNED,
    "six minutes old": "The",
    "six minutes ahead": "The",
    "during a rotation": SIGNED,
    "with the former secret": SIGNED,
    "with both secrets": SIGNED,
    "without the standard headers": "webhook-signature",
    "by the service's header alone": SIGNED,
    "another signature of the service": "X-Service-Signature",
    "an empty secret": "webhook-signature",
    "a signature that is cut off": "webhook-signature",
    "a signature that is no base64": "webhook-signature",
    "an id that is no Unicode": "webhook-signature",
    "a header that was not sent": "webhook-signature"
  },
  "locks a rate for a payment in another currency": ["processing", true, "1500.00"],
  "names the field of a bad request": { status: 400, code: "VALIDATION_ERROR", field: "amount" },
  "keeps every digit of an amount": ["0.10", "12345678901.23", "0.20", "12345678901.53"],
  "is refused without a valid key": { status: 401, code: null, field: null },
  "needs an answer": { status: 0, code: null, field: null },
  "does not wait for an answer without an end": { status: 0, code: null, field: null },
  "is not led astray by nested brackets": { status: 200, code: null, field: null },
  "follows no redirect": { status: 307, code: null, field: null },
  "has no answer for a removal": null,
  "sends no empty id": ["TypeError", "TypeError", "TypeError"]
}

interface Seen {
  readonly request: string
  readonly key: string | undefined
}

/**
 * A proxy: for each operation the first request gets 503 as other proxies send it, the second no answer. Below a path such
 * as `/429-0` the first request gets this status with this Retry-After; below `/endless` an answer never ends.
 */
const flakyProxy = (baseUrl: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const seen: Array<Seen> = []
      const handle = async (request: IncomingMessage, response: ServerResponse) => {
        const { headers, method = "", url: address = "" } = request
        const [, status, , after, url = ""] = /^(?:\/(\d{3})(-(\d+))?)?(.*)$/.exec(address) ?? []
        const chunks: Array<Buffer> = []
        for await (const chunk of request) chunks.push(chunk as Buffer)
        if (url.startsWith("/moved")) return response.writeHead(307, { location: baseUrl }).end()
        if (url.startsWith("/nested")) return response.writeHead(200).end("[".repeat(100_000))
        if (url.startsWith("/endless")) {
          const drip = setInterval(() => response.write(" "), 100)
          return response.on("close", () => clearInterval(drip))
        }
        const name = `${method} ${address}`
        const before = seen.filter((one) => one.request === name).length
        seen.push({ request: name, key: headers["idempotency-key"] as string | undefined })
        if (before === 0) {
          const sent = { "content-type": "text/html", ...(after === undefined ? {} : { "retry-after": after }) }
          return response.writeHead(Number(status ?? 503), sent).end("<h1>Busy</h1>")
        }
        if (before === 1 && status === undefined) return response.destroy()
        const answer = await fetch(`${baseUrl}${url}`, {
          method,
          headers: headers as Record<string, string>,
          ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) })
        })
        return response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text())
      }
      const server = createServer((request, response) => {
        handle(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
      }).listen(0, "127.0.0.1")
      await once(server, "listening")
      return { seen, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )

/** Built once for both. */
let installed: Promise<void> | undefined
const install = () => (installed ??= installClients(folder))

onServer("The clients of both languages", "memory", {}, (it) => {
  for (const [command, file] of [
    [process.execPath, "scenarios.mjs"],
    ["python3", "scenarios.py"]
  ] as const) {
    const test = command === "python3" && !hasPython ? it.scoped.skip : it.scoped
    test(`do what is expected: ${file}${command === "python3" ? " (needs python3)" : ""}`, () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const { baseUrl } = yield* TestServer
        const proxy = yield* flakyProxy(baseUrl)
        yield* Effect.promise(install)
        writeFileSync(join(folder, file), readFileSync(join("test/client/support", file)))
        const output = yield* Effect.promise(() =>
          outputOf(folder, command, [file], {
            URL: baseUrl,
            FLAKY_URL: proxy.url,
            API_KEY: acme.api_key,
            ORG_ID: acme.org_id,
            STAFF_ID: acme.userId("staff"),
            STAFF_JWT: acme.jwt("staff"),
            DELIVERY: JSON.stringify(deliveries)
          })
        )
        const lines = output.trim().split("\n")
        expect(Object.fromEntries(lines.map((line) => JSON.parse(line) as [string, unknown]))).toEqual(expected)
        const requests = (start: string) => proxy.seen.filter(({ request }) => request.startsWith(start))
        const paid = requests("POST /v1/payments-init/initiate")
        expect(paid.map(({ key }) => key === paid[0]?.key && /^[0-9a-f-]{36}$/.test(key ?? ""))).toEqual([
          true,
          true,
          true
        ])
        expect(requests("GET /v1/public/webhooks").map(({ key }) => key)).toEqual([undefined, undefined, undefined])
        expect(requests("POST /v1/public/api-keys")).toEqual([{ request: "POST /v1/public/api-keys", key: undefined }])
        const [unanswered, repeated] = requests("POST /504")
        expect(unanswered?.key).toBeTruthy()
        expect(repeated?.key).toBe(unanswered?.key)
        const counts = ["POST /429-0", "POST /409-0", "GET /503-3600", "GET /500"].map(
          (start) => requests(start).length
        )
        expect(counts).toEqual([2, 2, 1, 1])
      }))
  }
})
