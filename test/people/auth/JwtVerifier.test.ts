import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, type Layer, Option } from "effect"
import * as fc from "fast-check"
import { createHmac } from "node:crypto"
import {
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type GenerateKeyPairResult,
  type JWK,
  type JWTHeaderParameters,
  SignJWT
} from "jose"
import { beforeAll } from "vitest"
import { type JwksSource, JwksUnavailable, local } from "../../../src/people/auth/JwksSource.ts"
import { JwtVerifier } from "../../../src/people/auth/JwtVerifier.ts"

const issuer = "https://id.example.com/"
const audience = "corridor"
const now = 1_800_000_000

const claims = { iss: issuer, aud: audience, sub: "user_1", org_id: "org_1", exp: now + 300 }

let rsa: GenerateKeyPairResult
let ec: GenerateKeyPairResult
let ed: GenerateKeyPairResult
let stranger: GenerateKeyPairResult
let published: JWK[]
let verifier: Layer.Layer<JwtVerifier>
let lookups = 0

const counted = (source: JwksSource): JwksSource => ({
  keyFor: (header) =>
    Effect.suspend(() => {
      lookups++
      return source.keyFor(header)
    })
})

beforeAll(async () => {
  rsa = await generateKeyPair("RS256", { extractable: true })
  ec = await generateKeyPair("ES256", { extractable: true })
  ed = await generateKeyPair("EdDSA", { extractable: true })
  stranger = await generateKeyPair("ES256", { extractable: true })
  published = [
    { ...(await exportJWK(rsa.publicKey)), kid: "rsa" },
    { ...(await exportJWK(ec.publicKey)), kid: "ec" },
    { ...(await exportJWK(ed.publicKey)), kid: "ed" }
  ]
  verifier = JwtVerifier.layer({ source: counted(local({ keys: published })), issuer, audience })
})

const sign = (
  payload: Record<string, unknown> = claims,
  header: JWTHeaderParameters = { alg: "ES256", kid: "ec" },
  key: GenerateKeyPairResult["privateKey"] = ec.privateKey
) => Effect.promise(() => new SignJWT(payload).setProtectedHeader(header).sign(key))

const segment = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

/** The clock of the tests would wait a moment for other fibers each time that it is set, and there are none. */
const standingAt = (millis: number): Clock.Clock => {
  const nanos = BigInt(millis) * 1_000_000n
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => millis,
    unsafeCurrentTimeNanos: () => nanos,
    currentTimeMillis: Effect.succeed(millis),
    currentTimeNanos: Effect.succeed(nanos),
    sleep: () => Effect.never
  }
}

const verifyAt = (seconds: number, token: string) =>
  Effect.flatMap(JwtVerifier, ({ verify }) => verify(token)).pipe(
    Effect.provide(verifier),
    Effect.withClock(standingAt(seconds * 1000))
  )

const verify = (token: string) => verifyAt(now, token)

const refusal = (token: string) =>
  verify(token).pipe(
    Effect.flip,
    Effect.map((error) => `${error._tag}: ${error.message}`)
  )

const accepted = { sub: "user_1", orgId: Option.some("org_1"), email: Option.none() }

describe("a good token", () => {
  it.effect("is accepted with RS256, ES256 and EdDSA", () =>
    Effect.gen(function* () {
      expect(yield* verify(yield* sign(claims, { alg: "RS256", kid: "rsa" }, rsa.privateKey))).toEqual(accepted)
      expect(yield* verify(yield* sign(claims, { alg: "ES256", kid: "ec" }, ec.privateKey))).toEqual(accepted)
      expect(yield* verify(yield* sign(claims, { alg: "EdDSA", kid: "ed" }, ed.privateKey))).toEqual(accepted)
    })
  )

  it.effect("may leave out org_id, hold it as null, or name several audiences", () =>
    Effect.gen(function* () {
      const { org_id: _, ...withoutOrg } = claims
      expect(yield* verify(yield* sign(withoutOrg))).toEqual({
        sub: "user_1",
        orgId: Option.none(),
        email: Option.none()
      })
      expect(yield* verify(yield* sign({ ...claims, org_id: null }))).toEqual({
        sub: "user_1",
        orgId: Option.none(),
        email: Option.none()
      })
      expect(yield* verify(yield* sign({ ...claims, aud: ["other", audience] }))).toEqual(accepted)
    })
  )

  it.effect("may leave out the key id while only one key fits its algorithm", () =>
    Effect.gen(function* () {
      expect(yield* verify(yield* sign(claims, { alg: "ES256" }))).toEqual(accepted)
      const two = [...published, { ...(yield* Effect.promise(() => exportJWK(stranger.publicKey))), kid: "ec2" }]
      const layer = JwtVerifier.layer({ source: local({ keys: two }), issuer, audience })
      const token = yield* sign(claims, { alg: "ES256" })
      const error = yield* Effect.flip(
        JwtVerifier.pipe(
          Effect.flatMap((v) => v.verify(token)),
          Effect.provide(layer)
        )
      )
      expect(error._tag).toBe("InvalidToken")
    })
  )
})

describe("time", () => {
  it.effect("exp is passed for good from the 60th second on", () =>
    Effect.gen(function* () {
      const token = yield* sign({ ...claims, exp: now })
      expect(yield* verifyAt(now - 1, token)).toEqual(accepted)
      expect(yield* verifyAt(now + 59, token)).toEqual(accepted)
      for (const late of [60, 61, 86_400]) {
        const error = yield* Effect.flip(verifyAt(now + late, token))
        expect(error.message).toContain('"exp"')
      }
    })
  )

  it.effect("nbf may lie 60 seconds ahead at most", () =>
    Effect.gen(function* () {
      const token = yield* sign({ ...claims, nbf: now, exp: now + 1000 })
      expect(yield* verifyAt(now - 59, token)).toEqual(accepted)
      expect(yield* verifyAt(now - 60, token)).toEqual(accepted)
      for (const early of [61, 86_400]) {
        const error = yield* Effect.flip(verifyAt(now - early, token))
        expect(error.message).toContain('"nbf"')
      }
    })
  )
})

describe("claims", () => {
  const wrong: ReadonlyArray<readonly [string, Record<string, unknown>, string]> = [
    ["another issuer", { iss: "https://id.example.org/" }, '"iss"'],
    ["an issuer that differs by a slash", { iss: "https://id.example.com" }, '"iss"'],
    ["a list of issuers", { iss: [issuer] }, '"iss"'],
    ["another audience", { aud: "other" }, '"aud"'],
    ["other audiences", { aud: ["other", "corridor2"] }, '"aud"'],
    ["no audience in the list", { aud: [] }, '"aud"'],
    ["exp as text", { exp: String(now + 300) }, '"exp"'],
    ["exp as null", { exp: null }, '"exp"'],
    ["nbf as text", { nbf: "now" }, '"nbf"'],
    ["an empty sub", { sub: "" }, '"sub"'],
    ["a sub that is no text", { sub: 7 }, '"sub"'],
    ["a sub with a NUL", { sub: "user\u0000" }, '"sub"'],
    ["an empty org_id", { org_id: "" }, '"org_id"'],
    ["an org_id that is no text", { org_id: ["org_1"] }, '"org_id"']
  ]

  for (const [name, change, named] of wrong) {
    it.effect(`refuses ${name}`, () =>
      Effect.gen(function* () {
        const reason = yield* refusal(yield* sign({ ...claims, ...change }))
        expect(reason).toMatch(/^InvalidToken: /)
        expect(reason).toContain(named)
      })
    )
  }

  for (const missing of ["iss", "aud", "exp", "sub"] as const) {
    it.effect(`refuses a token without ${missing}`, () =>
      Effect.gen(function* () {
        const reason = yield* refusal(yield* sign({ ...claims, [missing]: undefined }))
        expect(reason).toBe(`InvalidToken: missing required "${missing}" claim`)
      })
    )
  }
})

describe("signature", () => {
  it.effect("refuses alg none, in any spelling", () =>
    Effect.gen(function* () {
      for (const alg of ["none", "None", "NONE", ""]) {
        const reason = yield* refusal(`${segment({ alg })}.${segment(claims)}.`)
        expect(reason).toBe("InvalidToken: signature algorithm is not accepted")
      }
    })
  )

  it.effect("refuses HS256 that takes the public key for the secret", () =>
    Effect.gen(function* () {
      const spki = yield* Effect.promise(() => exportSPKI(rsa.publicKey))
      for (const secret of [spki, spki.trim(), JSON.stringify(published[0])]) {
        const signed = `${segment({ alg: "HS256", kid: "rsa" })}.${segment(claims)}`
        const token = `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`
        expect(yield* refusal(token)).toBe("InvalidToken: signature algorithm is not accepted")
      }
    })
  )

  it.effect("refuses good signatures of algorithms that are not on the list", () =>
    Effect.gen(function* () {
      for (const alg of ["RS512", "PS256"]) {
        const pair = yield* Effect.promise(() => generateKeyPair(alg, { extractable: true }))
        const jwk = yield* Effect.promise(() => exportJWK(pair.publicKey))
        const layer = JwtVerifier.layer({ source: local({ keys: [{ ...jwk, kid: "other" }] }), issuer, audience })
        const token = yield* sign(claims, { alg, kid: "other" }, pair.privateKey)
        const error = yield* Effect.flip(
          JwtVerifier.pipe(
            Effect.flatMap((v) => v.verify(token)),
            Effect.provide(layer)
          )
        )
        expect(error.message).toBe("signature algorithm is not accepted")
      }
    })
  )

  it.effect("refuses an RSA key of less than 2048 bits", () =>
    Effect.gen(function* () {
      const { createSign, generateKeyPairSync } = yield* Effect.promise(() => import("node:crypto"))
      const pair = generateKeyPairSync("rsa", { modulusLength: 1024 })
      const signed = `${segment({ alg: "RS256", kid: "small" })}.${segment(claims)}`
      const token = `${signed}.${createSign("sha256").update(signed).sign(pair.privateKey).toString("base64url")}`
      const keys = [{ ...(pair.publicKey.export({ format: "jwk" }) as JWK), kid: "small" }]
      const layer = JwtVerifier.layer({ source: local({ keys }), issuer, audience })
      const error = yield* Effect.flip(
        JwtVerifier.pipe(
          Effect.flatMap((v) => v.verify(token)),
          Effect.provide(layer)
        )
      )
      expect(error).toMatchObject({ _tag: "InvalidToken", message: expect.stringContaining("2048") })
    })
  )

  it.effect("refuses a foreign key with a known key id, and a known key with another algorithm's key id", () =>
    Effect.gen(function* () {
      const stolenKid = yield* sign(claims, { alg: "ES256", kid: "ec" }, stranger.privateKey)
      expect(yield* refusal(stolenKid)).toBe("InvalidToken: signature verification failed")
      const wrongKid = yield* sign(claims, { alg: "ES256", kid: "rsa" })
      expect(yield* refusal(wrongKid)).toContain("no applicable key found")
    })
  )

  it.effect("refuses a payload or a signature that was changed", () =>
    Effect.gen(function* () {
      const [header = "", , signature = ""] = (yield* sign()).split(".")
      const payload = segment({ ...claims, org_id: "org_2" })
      expect(yield* refusal(`${header}.${payload}.${signature}`)).toBe("InvalidToken: signature verification failed")
      const bytes = Buffer.from(signature, "base64url")
      for (let at = 0; at < bytes.length; at++) {
        const changed = Buffer.from(bytes.map((byte, i) => (i === at ? byte ^ 1 : byte))).toString("base64url")
        expect(yield* refusal(`${header}.${segment(claims)}.${changed}`)).toMatch(/^InvalidToken: /)
      }
      expect(yield* refusal(`${header}.${segment(claims)}.`)).toMatch(/^InvalidToken: /)
    })
  )

  it.effect("accepts a signature in one spelling only", () =>
    Effect.gen(function* () {
      const token = yield* sign()
      const signature = token.slice(token.lastIndexOf(".") + 1)
      const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
      const spellings = [...alphabet].map((last) => token.slice(0, -1) + last).filter((text) => text !== token)
      const alike = spellings.filter((text) =>
        Buffer.from(text.slice(text.lastIndexOf(".") + 1), "base64url").equals(Buffer.from(signature, "base64url"))
      )
      expect(alike).toHaveLength(15)
      for (const text of [...alike, `${token} `, `${token}\n`, `${token}=`]) {
        expect(yield* refusal(text)).toMatch(/^InvalidToken: /)
      }
    })
  )
})

describe("header", () => {
  const attacks: ReadonlyArray<readonly [string, () => unknown]> = [
    ["jku", () => "https://evil.example/jwks.json"],
    ["x5u", () => "https://evil.example/cert.pem"],
    ["jwk", () => published[1]],
    ["x5c", () => ["MIIB"]],
    ["crit", () => ["exp"]],
    ["crit", () => []]
  ]

  for (const [name, value] of attacks) {
    it.effect(`refuses a well-signed token with ${name} before it looks for a key`, () =>
      Effect.gen(function* () {
        const signed = `${segment({ alg: "ES256", kid: "ec", [name]: value() })}.${segment(claims)}`
        const signature = yield* Effect.promise(() =>
          crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, ec.privateKey, Buffer.from(signed))
        )
        const before = lookups
        const reason = yield* refusal(`${signed}.${Buffer.from(signature).toString("base64url")}`)
        expect(reason).toBe(`InvalidToken: header "${name}" is not accepted`)
        expect(lookups).toBe(before)
      })
    )
  }

  it.effect("looks no key up for alg none, garbage or an overlong token, and one for a good token", () =>
    Effect.gen(function* () {
      const before = lookups
      const long = yield* sign({ ...claims, padding: "x".repeat(8192) })
      expect(yield* refusal(long)).toContain("longer than 8192")
      for (const token of ["", "NONE", "a.b.c", "..", `${segment({ alg: "none" })}.${segment(claims)}.`, "a.b.c.d.e"]) {
        expect(yield* refusal(token)).toMatch(/^InvalidToken: /)
      }
      expect(lookups).toBe(before)
      yield* verify(yield* sign({ ...claims, padding: "x".repeat(5000) }))
      expect(lookups).toBe(before + 1)
    })
  )
})

describe("garbage", () => {
  const outcome = (token: string) => Effect.runPromise(Effect.either(verify(token)))

  it("never dies of arbitrary text", async () => {
    const token = fc.oneof(
      fc.fullUnicodeString({ maxLength: 200 }),
      fc.array(fc.base64String(), { minLength: 3, maxLength: 3 }).map((parts) => parts.join(".")),
      fc
        .tuple(fc.json(), fc.json())
        .map(([header, payload]) => `${segment(JSON.parse(header))}.${segment(JSON.parse(payload))}.AAAA`),
      fc
        .record({ alg: fc.constantFrom("ES256", "RS256", "EdDSA"), kid: fc.jsonValue() })
        .map((header) => `${segment(header)}.${segment(claims)}.AAAA`)
    )
    await fc.assert(
      fc.asyncProperty(token, async (text) => {
        expect(await outcome(text)).toMatchObject({ _tag: "Left", left: { _tag: "InvalidToken" } })
      })
    )
  })

  it("refuses every mutation of a good token", async () => {
    const good = await Effect.runPromise(sign())
    const mutation = fc.tuple(fc.nat(good.length - 1), fc.nat(3), fc.fullUnicodeString({ maxLength: 3 }))
    await fc.assert(
      fc.asyncProperty(mutation, async ([at, removed, inserted]) => {
        const text = good.slice(0, at) + inserted + good.slice(at + removed)
        fc.pre(text !== good)
        expect(await outcome(text)).toMatchObject({ _tag: "Left", left: { _tag: "InvalidToken" } })
      }),
      { numRuns: 150 }
    )
  })
})

describe("a key set that cannot be read", () => {
  it.effect("is another error than a bad token", () =>
    Effect.gen(function* () {
      const source: JwksSource = { keyFor: () => Effect.fail(new JwksUnavailable({ message: "down" })) }
      const token = yield* sign()
      const error = yield* JwtVerifier.pipe(
        Effect.flatMap((v) => v.verify(token)),
        Effect.provide(JwtVerifier.layer({ source, issuer, audience })),
        Effect.flip
      )
      expect(error).toMatchObject({ _tag: "JwksUnavailable", message: "down" })
    })
  )
})
