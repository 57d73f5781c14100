/** The account that the fake of Coinbase takes, and whether a call carries its token. */
import { createHash, createHmac, createPrivateKey, createPublicKey, verify } from "node:crypto"
import { Either, Option, Schema } from "effect"
import type { FakeRequest } from "../fakes/Fake.ts"
import { readJson } from "../port/WireValues.ts"

export const accountId = "account_af2937b0-9846-4fe7-bfe9-ccc22d935114"

const keyId = "organizations/fake/apiKeys/coinbase"
const webhookSecret = "fake-coinbase-webhook-secret"

/** A key of Ed25519 without its seed, as PKCS #8 has it. */
const before = Buffer.from("302e020100300506032b657004220420", "hex")

/** Made of a name, so that it stays the same from start to start. */
const seed = createHash("sha256").update("the fake of Coinbase").digest()
const publicKey = createPublicKey(
  createPrivateKey({ key: Buffer.concat([before, seed]), format: "der", type: "pkcs8" })
)
const point = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url")

export const credentials = {
  key_id: keyId,
  key_secret: Buffer.concat([seed, point]).toString("base64"),
  account_id: accountId,
  webhook_secret: webhookSecret
}

const decodeHeader = Schema.decodeUnknownOption(
  Schema.Struct({ alg: Schema.Literal("EdDSA"), kid: Schema.Literal(keyId), nonce: Schema.String })
)
const Seconds = Schema.String.pipe(Schema.pattern(/^\d{1,12}$/))
const decodeClaims = Schema.decodeUnknownOption(
  Schema.Struct({
    sub: Schema.Literal(keyId),
    iss: Schema.Literal("cdp"),
    nbf: Seconds,
    exp: Seconds,
    uris: Schema.Array(Schema.String)
  })
)

const read = (part: string): Option.Option<unknown> =>
  Either.getRight(readJson(Buffer.from(part, "base64url").toString("utf8")))

const LONGEST = 120n

export const isAuthentic = ({ headers, method, path }: FakeRequest, now: Date): boolean => {
  const [header = "", claims = "", signature = ""] = (headers["authorization"] ?? "").replace(/^Bearer /, "").split(".")
  const said = Option.all([Option.flatMap(read(header), decodeHeader), Option.flatMap(read(claims), decodeClaims)])
  const isSigned = verify(null, Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, "base64url"))
  const seconds = BigInt(Math.floor(now.getTime() / 1000))
  return (
    isSigned &&
    Option.exists(said, ([, { exp, nbf, uris }]) => {
      const [from, until] = [BigInt(nbf), BigInt(exp)]
      const isNow = from <= seconds + 5n && seconds < until && until - from <= LONGEST
      return isNow && uris.includes(`${method} ${headers["host"]}${path}`)
    })
  )
}

/** As the webhooks of Coinbase are signed. */
export const signatureOf = (headers: Readonly<Record<string, string>>, body: string, now: Date): string => {
  const t = Math.floor(now.getTime() / 1000)
  const names = Object.keys(headers)
  const h = names.join(" ")
  const sign = (text: string): string => createHmac("sha256", webhookSecret).update(text).digest("hex")
  const values = names.map((name) => headers[name]).join(".")
  return `t=${t},v0=${sign(`${t}.${body}`)},h=${h},v1=${sign(`${t}.${h}.${values}.${body}`)}`
}
