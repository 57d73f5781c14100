/** The token that every call to Coinbase carries: signed with the account's key, for one address and two minutes. */
import { createPrivateKey, type KeyObject, sign } from "node:crypto"
import { Either } from "effect"

interface SigningKey {
  readonly alg: "ES256" | "EdDSA"
  readonly key: KeyObject
}

/** A seed and the public key that follows from it. */
const ED25519_BYTES = 64
const SEED_BYTES = 32

const edwardsKey = (bytes: Buffer): KeyObject =>
  createPrivateKey({
    format: "jwk",
    key: {
      kty: "OKP",
      crv: "Ed25519",
      d: bytes.subarray(0, SEED_BYTES).toString("base64url"),
      x: bytes.subarray(SEED_BYTES).toString("base64url")
    }
  })

/** PEM of a P-256 key, or an Ed25519 key in base64. The error never shows the value. */
export const readSigningKey = (secret: string): Either.Either<SigningKey, string> => {
  const unreadable = "COINBASE_KEY_SECRET is neither the PEM of an EC key nor an Ed25519 key in base64"
  return Either.try({
    try: (): SigningKey | undefined => {
      if (secret.includes("-----BEGIN")) {
        // A setting of one line has its line ends written out.
        const key = createPrivateKey(secret.replaceAll("\\n", "\n"))
        return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? { alg: "ES256", key } : undefined
      }
      const bytes = Buffer.from(secret, "base64")
      // Decoding would skip what is not base64.
      const isWhole = bytes.length === ED25519_BYTES && bytes.toString("base64") === secret.trim()
      return isWhole ? { alg: "EdDSA", key: edwardsKey(bytes) } : undefined
    },
    catch: () => unreadable
  }).pipe(Either.flatMap((read) => Either.fromNullable(read, () => unreadable)))
}

const LIFE = 120

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

interface TokenFor {
  readonly keyId: string
  readonly method: string
  /** With the port where it is not the usual one, and without the query. */
  readonly address: string
  readonly nonce: string
  readonly nowMillis: number
}

export const tokenFor = ({ alg, key }: SigningKey, { address, keyId, method, nonce, nowMillis }: TokenFor): string => {
  const now = Math.floor(nowMillis / 1000)
  const header = { alg, kid: keyId, typ: "JWT", nonce }
  const claims = { sub: keyId, iss: "cdp", uris: [`${method} ${address}`], iat: now, nbf: now, exp: now + LIFE }
  const signed = `${encoded(header)}.${encoded(claims)}`
  const signature =
    alg === "ES256"
      ? sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" })
      : sign(null, Buffer.from(signed), key)
  return `${signed}.${signature.toString("base64url")}`
}
