/** The key with which the fake of pawaPay signs. It is made of a name, so that it stays the same from start to start. */
import { createECDH, createHash, createPrivateKey, createPublicKey, sign } from "node:crypto"

export const keyId = "HTTP_EC_P256_KEY:1"

const COORDINATE = 32

const privateKey = (() => {
  const curve = createECDH("prime256v1")
  const d = createHash("sha256").update("the fake of pawaPay").digest()
  curve.setPrivateKey(d)
  const point = curve.getPublicKey().subarray(1)
  const [x, y] = [point.subarray(0, COORDINATE), point.subarray(COORDINATE)].map((half) => half.toString("base64url"))
  return createPrivateKey({
    format: "jwk",
    key: { kty: "EC", crv: "P-256", d: d.toString("base64url"), x: x ?? "", y: y ?? "" }
  })
})()

export const publicPem = createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString()

const components = '("@method" "@authority" "@path" "signature-date" "content-digest" "content-type")'

const contentType = "application/json; charset=UTF-8"

/** The headers of a signed callback to this address. */
export const signedHeaders = (callbackUrl: string, body: string, now: Date): Readonly<Record<string, string>> => {
  const { host, pathname } = new URL(callbackUrl)
  const date = now.toISOString()
  const digest = `sha-512=:${createHash("sha512").update(body).digest("base64")}:`
  const created = Math.floor(now.getTime() / 1000)
  const input = `${components};alg="ecdsa-p256-sha256";keyid="${keyId}";created=${created};expires=${created + 60}`
  const base = [
    '"@method": POST',
    `"@authority": ${host}`,
    `"@path": ${pathname}`,
    `"signature-date": ${date}`,
    `"content-digest": ${digest}`,
    `"content-type": ${contentType}`,
    `"@signature-params": ${input}`
  ].join("\n")
  return {
    "content-type": contentType,
    "content-digest": digest,
    "signature-date": date,
    "signature-input": `sig-pp=${input}`,
    signature: `sig-pp=:${sign("sha256", Buffer.from(base), privateKey).toString("base64")}:`
  }
}
