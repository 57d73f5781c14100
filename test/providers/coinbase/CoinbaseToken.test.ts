import { generateKeyPairSync } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, TestClock } from "effect"
import { decodeProtectedHeader, jwtVerify } from "jose"
import { coinbase } from "../../../src/providers/coinbase/CoinbaseAdapter.ts"
import { readSigningKey, tokenFor } from "../../../src/providers/coinbase/CoinbaseSignatures.ts"
import { coinbaseFake } from "../../fakes/CoinbaseFake.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { NOW } from "../support/CryptoOrders.ts"
import { replyOf, saying } from "../support/ScriptedReplies.ts"
import { payout } from "./CoinbaseTestOrders.ts"

const ec = generateKeyPairSync("ec", { namedCurve: "P-256" })
const ed = generateKeyPairSync("ed25519")
const { d = "", x = "" } = ed.privateKey.export({ format: "jwk" })
const edwards = Buffer.concat([Buffer.from(d, "base64url"), Buffer.from(x, "base64url")]).toString("base64")
const pem = (type: "pkcs8" | "sec1") => ec.privateKey.export({ type, format: "pem" }).toString()

const about = {
  keyId: "organizations/o/apiKeys/k",
  method: "POST",
  address: "api.cdp.coinbase.com/platform/v2/transfers",
  nonce: "0123456789abcdef0123456789abcdef",
  nowMillis: NOW
}

describe("the token of a call to Coinbase", () => {
  it.each([
    ["PKCS #8", pem("pkcs8"), ec.publicKey, "ES256"],
    ["SEC 1", pem("sec1"), ec.publicKey, "ES256"],
    ["PEM in one line", pem("pkcs8").replaceAll("\n", "\\n"), ec.publicKey, "ES256"],
    ["Ed25519", edwards, ed.publicKey, "EdDSA"]
  ] as const)("is one that others can check: %s", async (_form, secret, publicKey, alg) => {
    const token = tokenFor(Either.getOrThrow(readSigningKey(secret)), about)
    const { payload } = await jwtVerify(token, publicKey, { currentDate: new Date(NOW), issuer: "cdp" })
    expect(payload).toEqual({
      sub: about.keyId,
      iss: "cdp",
      uris: ["POST api.cdp.coinbase.com/platform/v2/transfers"],
      iat: NOW / 1000,
      nbf: NOW / 1000,
      exp: NOW / 1000 + 120
    })
    expect(decodeProtectedHeader(token)).toEqual({ alg, kid: about.keyId, typ: "JWT", nonce: about.nonce })
  })

  it.each([
    ["nothing", ""],
    ["words", "hello"],
    ["half a key", Buffer.alloc(32).toString("base64")],
    ["a key with something behind it", `${edwards}wrong`],
    [
      "an RSA key",
      generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" }).toString()
    ],
    [
      "a key of another curve",
      generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey.export({ type: "pkcs8", format: "pem" }).toString()
    ],
    ["a PEM that is none", "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----"]
  ])("is not made of %s, and the input is not shown", (_what, secret) => {
    const read = readSigningKey(secret)
    expect(Either.isLeft(read)).toBe(true)
    expect(Either.isLeft(read) ? read.left : "").toContain("COINBASE_KEY_SECRET")
    if (secret !== "") expect(Either.isLeft(read) ? read.left : "").not.toContain(secret)
  })

  it.effect("names the address of the call, below the account's own, without its query; no two are the same", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { calls, http } = saying(replyOf(200, {}), replyOf(200, {}), replyOf(200, {}))
      const provider = connected(
        coinbase,
        http,
        { ...coinbaseFake.credentials, key_secret: edwards },
        { baseUrl: coinbase.baseUrls.live }
      )
      yield* provider.test!
      yield* provider.initiate(payout("1"))
      yield* provider.initiate(payout("1"))
      const tokens = calls.map(({ headers }) => headers?.["authorization"]?.replace("Bearer ", "") ?? "")
      const read = yield* Effect.forEach(tokens, (token) =>
        Effect.promise(() => jwtVerify(token, ed.publicKey, { currentDate: new Date(NOW) }))
      )
      expect(read.map(({ payload }) => payload["uris"])).toEqual([
        ["GET api.cdp.coinbase.com/platform/v2/accounts"],
        ["POST api.cdp.coinbase.com/platform/v2/transfers"],
        ["POST api.cdp.coinbase.com/platform/v2/transfers"]
      ])
      expect(new Set(tokens).size).toBe(3)
      expect(decodeProtectedHeader(tokens[0]!)["nonce"]).toMatch(/^[0-9a-f]{32}$/)
    })
  )
})
