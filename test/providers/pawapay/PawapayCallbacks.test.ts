import { constants, createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { type ProviderCall, MaybeSent } from "../../../src/providers/client/ProviderHttp.ts"
import { covered } from "../../../src/providers/pawapay/PawapaySignatures.ts"
import { pawapay } from "../../../src/providers/pawapay/PawapayAdapter.ts"
import type { CallbackRequest } from "../../../src/providers/port/Callback.ts"
import { connected } from "../support/ConnectedAdapter.ts"

const ec = generateKeyPairSync("ec", { namedCurve: "P-256" })
const ec384 = generateKeyPairSync("ec", { namedCurve: "P-384" })
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
const other = generateKeyPairSync("ec", { namedCurve: "P-256" })
const pem = (key: KeyObject): string => key.export({ type: "spki", format: "pem" }).toString()

const depositId = "8917c345-4791-4285-a416-62f24b6982db"
const completed = {
  depositId,
  status: "COMPLETED",
  requestedAmount: "200.00",
  depositedAmount: "1.00",
  currency: "ZMW",
  country: "ZMB"
}

const NOW = 1_714_657_551

type Sign = (base: Buffer) => Buffer

interface Signing {
  readonly body?: string
  readonly alg?: string
  readonly keyId?: string
  readonly created?: string
  readonly expires?: string
  readonly components?: ReadonlyArray<string>
  readonly hash?: "sha-512" | "sha-256"
  readonly by?: Sign
}

const byEc: Sign = (base) => sign("sha256", base, ec.privateKey)

/** Signed after the RFC's own words, apart from what the adapter and the fake do. */
const signed = (how: Signing & { readonly authority?: string; readonly path?: string } = {}): CallbackRequest => {
  const { alg = "ecdsa-p256-sha256", body = JSON.stringify(completed), by = byEc, components = covered } = how
  const { created = `;created=${NOW}`, expires = `;expires=${NOW + 60}`, hash = "sha-512", keyId = "KEY:1" } = how
  const digest = `${hash}=:${createHash(hash.replace("-", "")).update(body).digest("base64")}:`
  const headers: Record<string, string> = {
    "content-type": "application/json; charset=UTF-8",
    "content-digest": digest,
    "signature-date": "2024-05-02T13:45:51.131905Z"
  }
  const parts: Record<string, string> = {
    "@method": "POST",
    "@authority": how.authority ?? "corridor.example:8443",
    "@path": how.path ?? "/v1/callbacks/pawapay",
    ...headers
  }
  const input = `(${components.map((one) => `"${one}"`).join(" ")});alg="${alg}";keyid="${keyId}"${created}${expires}`
  const lines = components.map((one) => `"${one}": ${parts[one]}`)
  const base = Buffer.from([...lines, `"@signature-params": ${input}`].join("\n"))
  return {
    method: "POST",
    path: "/v1/callbacks/pawapay",
    authority: "Corridor.example:8443",
    query: {},
    headers: {
      ...headers,
      "signature-input": `sig-pp=${input}`,
      signature: `sig-pp=:${by(base).toString("base64")}:`
    },
    body: Buffer.from(body)
  }
}

const without = (request: CallbackRequest, ...names: ReadonlyArray<string>): CallbackRequest => ({
  ...request,
  headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => !names.includes(name)))
})

const withHeader = (request: CallbackRequest, name: string, value: string): CallbackRequest => ({
  ...request,
  headers: { ...request.headers, [name]: value }
})

const published = (keys: () => ReadonlyArray<{ id: string; key: string }> | undefined) => {
  const calls: Array<ProviderCall> = []
  const http = {
    call: (call: ProviderCall) =>
      Effect.suspend(() => {
        calls.push(call)
        const json = keys()
        return json === undefined
          ? Effect.fail(new MaybeSent({ reason: "timeout" }))
          : Effect.succeed({ status: 200, headers: {}, text: "", json })
      })
  }
  return { calls, provider: connected(pawapay, http, { api_token: "t" }, { callbackUrl }) }
}

const callbackUrl = "https://Corridor.example:8443/v1/callbacks/pawapay"

const ours = [{ id: "KEY:1", key: pem(ec.publicKey) }]
const atNow = TestClock.setTime(NOW * 1000)

describe("a callback of pawaPay", () => {
  const hint = { _tag: "Hint", attempt: { reference: depositId, providerPaymentId: depositId } }

  it.effect("that is signed is a hint: pawaPay signs for every merchant with one key", () =>
    Effect.gen(function* () {
      yield* atNow
      const { calls, provider } = published(() => ours)
      const { events } = yield* provider.callback(signed())
      expect(events).toMatchObject([hint])
      yield* provider.callback(signed())
      expect(calls.map(({ path }) => path)).toEqual(["/public-key/http"])
    })
  )

  const ways: ReadonlyArray<readonly [string, Signing, KeyObject]> = [
    ["ECDSA on P-256, as DER", {}, ec.publicKey],
    [
      "ECDSA on P-256, side by side",
      { by: (base) => sign("sha256", base, { key: ec.privateKey, dsaEncoding: "ieee-p1363" }) },
      ec.publicKey
    ],
    [
      "ECDSA on P-384",
      { alg: "ecdsa-p384-sha384", by: (base) => sign("sha384", base, ec384.privateKey) },
      ec384.publicKey
    ],
    ["RSA", { alg: "rsa-v1_5-sha256", by: (base) => sign("sha256", base, rsa.privateKey) }, rsa.publicKey],
    [
      "RSA-PSS",
      {
        alg: "rsa-pss-sha512",
        by: (base) =>
          sign("sha512", base, { key: rsa.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 })
      },
      rsa.publicKey
    ],
    ["a digest of 256 bits", { hash: "sha-256" }, ec.publicKey],
    ["more covered than need be", { components: [...covered].toReversed() }, ec.publicKey],
    ["no end, but fresh", { expires: "" }, ec.publicKey]
  ]
  it.effect.each(ways)("may be signed by %s", ([, how, key]) =>
    Effect.gen(function* () {
      yield* atNow
      const { provider } = published(() => [{ id: "KEY:1", key: pem(key) }])
      const { events } = yield* provider.callback(signed(how))
      expect(events).toMatchObject([hint])
    })
  )

  it.effect("may be checked with the key of the settings, in one line or in many", () =>
    Effect.gen(function* () {
      yield* atNow
      for (const public_key of [pem(ec.publicKey), pem(ec.publicKey).replaceAll("\n", "\\n")]) {
        const provider = connected(
          pawapay,
          { call: () => Effect.never },
          { api_token: "t", public_key },
          { callbackUrl }
        )
        const { events } = yield* provider.callback(signed())
        expect(events).toMatchObject([hint])
      }
    })
  )

  const raw = signed()

  it.effect("is known by the public address, whatever a proxy makes of Host and path", () =>
    Effect.gen(function* () {
      yield* atNow
      const { provider } = published(() => ours)
      const { events } = yield* provider.callback({ ...raw, authority: "10.0.0.7:3000", path: "/callbacks/pawapay" })
      expect(events).toHaveLength(1)
    })
  )

  const refused: ReadonlyArray<readonly [string, CallbackRequest]> = [
    ["another body", { ...raw, body: Buffer.from(JSON.stringify({ ...completed, depositedAmount: "200.00" })) }],
    ["another method", { ...raw, method: "PUT" }],
    ["another path", signed({ path: "/v1/callbacks/other" })],
    ["another host", signed({ authority: "elsewhere.example" })],
    [
      "another host, named by its sender",
      { ...signed({ authority: "elsewhere.example" }), authority: "elsewhere.example" }
    ],
    ["another date", withHeader(raw, "signature-date", "2024-05-02T13:45:52Z")],
    ["another type", withHeader(raw, "content-type", "text/plain")],
    ["another's signature", signed({ by: (base) => sign("sha256", base, other.privateKey) })],
    ["a key that is not published", signed({ keyId: "KEY:2" })],
    ["an algorithm that is not its key's", signed({ alg: "rsa-v1_5-sha256" })],
    ["an unknown algorithm", signed({ alg: "hmac-sha256" })],
    ["a signature that is none", withHeader(raw, "signature", "sig-pp=:AAAA:")],
    ["a signature under another name", withHeader(raw, "signature", raw.headers["signature"]!.replace("sig-pp", "x"))],
    ["no signature for its input", without(raw, "signature")],
    ["no input for its signature", without(raw, "signature-input")],
    ["no digest", without(raw, "content-digest")],
    ["a digest of no known kind", withHeader(raw, "content-digest", "md5=:AAAA:")],
    ["an end that has passed", signed({ created: `;created=${NOW - 600}`, expires: `;expires=${NOW - 540}` })],
    ["no end, and old", signed({ created: `;created=${NOW - 600}`, expires: "" })],
    ["a beginning to come", signed({ created: `;created=${NOW + 600}`, expires: `;expires=${NOW + 660}` })],
    ["no beginning", signed({ created: "" })],
    ...covered.map(
      (left) => [`${left} left out`, signed({ components: covered.filter((one) => one !== left) })] as const
    ),
    ["a part twice", signed({ components: [...covered, "@path"] })],
    ["a part that we do not know", signed({ components: [...covered, "@target-uri"] })]
  ]
  it.effect.each(refused)("with %s proves nothing and is refused", ([, request]) =>
    Effect.gen(function* () {
      yield* atNow
      const { provider } = published(() => ours)
      expect(yield* Effect.flip(provider.callback(request))).toMatchObject({ _tag: "NoProof" })
    })
  )

  it.effect("without a signature is a hint, whatever it says", () =>
    Effect.gen(function* () {
      const { calls, provider } = published(() => ours)
      const { events } = yield* provider.callback(without(raw, "signature", "signature-input"))
      expect(events).toEqual([
        expect.objectContaining({ _tag: "Hint", attempt: { reference: depositId, providerPaymentId: depositId } })
      ])
      expect(calls).toEqual([])
    })
  )

  it.effect("is a hint while its signature cannot be checked", () =>
    Effect.gen(function* () {
      yield* atNow
      const { calls, provider } = published(() => undefined)
      expect((yield* provider.callback(raw)).events[0]?._tag).toBe("Hint")
      expect((yield* provider.callback(raw)).events[0]?._tag).toBe("Hint")
      expect(calls).toHaveLength(1)
      yield* TestClock.adjust("6 seconds")
      expect((yield* provider.callback(raw)).events[0]?._tag).toBe("Hint")
      expect(calls).toHaveLength(2)
    })
  )

  it.effect(
    "is checked with a new key once the old one was replaced, and no flood makes us ask for it more often",
    () =>
      Effect.gen(function* () {
        yield* atNow
        let keys = [{ id: "KEY:1", key: pem(other.publicKey) }]
        const { calls, provider } = published(() => keys)
        yield* Effect.flip(provider.callback(raw))
        yield* Effect.flip(provider.callback(raw))
        expect(calls).toHaveLength(1)
        keys = ours
        yield* TestClock.adjust("61 seconds")
        const later = signed({ created: `;created=${NOW + 61}`, expires: `;expires=${NOW + 121}` })
        expect((yield* provider.callback(later)).events).toMatchObject([hint])
        expect(calls).toHaveLength(2)
      })
  )

  const others: ReadonlyArray<readonly [string, unknown, object | undefined]> = [
    ["a payout", { payoutId: depositId, status: "FAILED" }, hint],
    ["a refund", { refundId: depositId, depositId: "x", status: "COMPLETED" }, hint],
    ["a status of tomorrow", { payoutId: depositId, status: "MAYBE" }, hint],
    ["an amount that cannot be read", { ...completed, depositedAmount: "a lot" }, hint],
    ["no status", { depositId }, hint],
    ["nothing that we know", { hello: "world" }, undefined],
    ["no JSON", "hello", undefined]
  ]
  it.effect.each(others)("about %s", ([, about, expected]) =>
    Effect.gen(function* () {
      yield* atNow
      const { provider } = published(() => ours)
      const body = typeof about === "string" ? about : JSON.stringify(about)
      const { events } = yield* provider.callback(signed({ body }))
      expect(events).toHaveLength(expected === undefined ? 0 : 1)
      if (expected !== undefined) expect(events[0]).toMatchObject(expected)
    })
  )
})
