import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import { type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose"
import { vi } from "vitest"
import { file, type JwksSource, remote } from "../../../src/people/auth/JwksSource.ts"
import { JwtVerifier } from "../../../src/people/auth/JwtVerifier.ts"

const issuer = "https://id.example.com/"
const audience = "corridor"
const claims = { iss: issuer, aud: audience, sub: "user_1", exp: 4_000_000_000 }

const issuerKey = (kid: string, alg = "ES256") =>
  Effect.promise(async () => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
    const token = await new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(privateKey)
    return {
      jwk: { ...(await exportJWK(publicKey)), kid },
      privateJwk: { ...(await exportJWK(privateKey)), kid },
      token
    }
  })

const verifierOn = (source: JwksSource) =>
  JwtVerifier.pipe(Effect.provide(JwtVerifier.layer({ source, issuer, audience })))

const errorTag = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), (error) => error._tag)

describe("remote", () => {
  let server: Server
  let url: URL
  let fetches: number
  let answer: { status: number; body: string; location?: string }

  const publish = (...keys: ReadonlyArray<JWK>) => {
    answer = { status: 200, body: JSON.stringify({ keys }) }
  }

  beforeEach(async () => {
    // The cool-down is jose's own and reads the system's clock; the network's timers must stay real.
    vi.useFakeTimers({ toFake: ["Date"] })
    fetches = 0
    server = createServer((_request, response) => {
      fetches++
      response.writeHead(answer.status, answer.location === undefined ? {} : { location: answer.location })
      response.end(answer.body)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json?tenant=1`)
  })

  afterEach(async () => {
    vi.useRealTimers()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const passSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

  it.effect("fetches nothing before the first token, then once for all that follow", () =>
    Effect.gen(function* () {
      const { jwk, token } = yield* issuerKey("one")
      publish(jwk)
      const { verify } = yield* verifierOn(remote(url))
      expect(fetches).toBe(0)
      yield* Effect.all(
        Array.from({ length: 20 }, () => verify(token)),
        { concurrency: "unbounded" }
      )
      passSeconds(9 * 60)
      yield* verify(token)
      expect(fetches).toBe(1)
    })
  )

  it.effect("fetches again after ten minutes, so that a withdrawn key stops working", () =>
    Effect.gen(function* () {
      const { jwk, token } = yield* issuerKey("one")
      publish(jwk)
      const { verify } = yield* verifierOn(remote(url))
      yield* verify(token)
      publish((yield* issuerKey("two")).jwk)
      passSeconds(601)
      expect(yield* errorTag(verify(token))).toBe("InvalidToken")
      expect(fetches).toBe(2)
    })
  )

  it.effect("meets an unknown key id with a new fetch, once the cool-down is over", () =>
    Effect.gen(function* () {
      const [one, two] = yield* Effect.all([issuerKey("one"), issuerKey("two")])
      publish(one.jwk)
      const { verify } = yield* verifierOn(remote(url))
      yield* verify(one.token)
      expect(yield* errorTag(verify(two.token))).toBe("InvalidToken")

      publish(one.jwk, two.jwk)
      passSeconds(29)
      expect(yield* errorTag(verify(two.token))).toBe("InvalidToken")
      expect(fetches).toBe(1)

      passSeconds(2)
      expect(yield* verify(two.token)).toMatchObject({ sub: "user_1" })
      expect(yield* verify(one.token)).toMatchObject({ sub: "user_1" })
      expect(fetches).toBe(2)
    })
  )

  it.effect("cannot be made to fetch by a flood of made-up key ids", () =>
    Effect.gen(function* () {
      const { jwk, token } = yield* issuerKey("one")
      publish(jwk)
      const { verify } = yield* verifierOn(remote(url))
      yield* verify(token)
      const madeUp = yield* Effect.all(Array.from({ length: 5 }, (_, i) => issuerKey(`made-up-${i}`)))
      passSeconds(31)
      for (const { token } of madeUp) expect(yield* errorTag(verify(token))).toBe("InvalidToken")
      expect(fetches).toBe(2)
    })
  )

  it.effect("is unavailable, not a bad token, while the endpoint fails, and recovers by itself", () =>
    Effect.gen(function* () {
      const { jwk, token } = yield* issuerKey("one")
      const { verify } = yield* verifierOn(remote(url))
      const failures = [
        { status: 500, body: "" },
        { status: 404, body: JSON.stringify({ keys: [jwk] }) },
        { status: 200, body: "<html>" },
        { status: 200, body: "{}" },
        { status: 302, body: "", location: "/elsewhere" }
      ]
      for (const failure of failures) {
        answer = failure
        expect(yield* errorTag(verify(token))).toBe("JwksUnavailable")
      }
      expect(fetches).toBe(failures.length)
      publish(jwk)
      expect(yield* verify(token)).toMatchObject({ sub: "user_1" })
    })
  )

  it.effect("keeps verifying known keys while the endpoint is down, until they are too old", () =>
    Effect.gen(function* () {
      const [one, two] = yield* Effect.all([issuerKey("one"), issuerKey("two")])
      publish(one.jwk)
      const { verify } = yield* verifierOn(remote(url))
      yield* verify(one.token)
      answer = { status: 503, body: "" }
      passSeconds(60)
      expect(yield* errorTag(verify(two.token))).toBe("JwksUnavailable")
      expect(yield* verify(one.token)).toMatchObject({ sub: "user_1" })
      passSeconds(600)
      expect(yield* errorTag(verify(one.token))).toBe("JwksUnavailable")
    })
  )

  it.effect("names the address without its query if the connection is refused", () =>
    Effect.gen(function* () {
      const { token } = yield* issuerKey("one")
      const { verify } = yield* verifierOn(remote(url))
      yield* Effect.promise(() => new Promise((resolve) => server.close(resolve)))
      const error = yield* Effect.flip(verify(token))
      expect(error._tag).toBe("JwksUnavailable")
      expect(error.message).toContain(`${url.origin}/jwks.json: `)
      expect(error.message).toContain("ECONNREFUSED")
      expect(error.message).not.toContain("tenant")
    })
  )
})

describe("file", () => {
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "corridor-jwks-"))
  })

  afterEach(() => rm(folder, { recursive: true }))

  const write = (text: string) =>
    Effect.promise(async () => {
      const path = join(folder, "jwks.json")
      await writeFile(path, text)
      return path
    })

  const writeKeys = (...keys: ReadonlyArray<unknown>) => write(JSON.stringify({ keys }))

  const problemOf = (path: string) =>
    Effect.map(Effect.flip(file(path)), (error) => {
      expect(error._tag).toBe("InvalidJwksFile")
      expect(error.message).toContain(`JWT_JWKS_FILE (${path}) `)
      return error.message
    })

  it.effect("verifies with each key of the file, and passes over keys for other uses", () =>
    Effect.gen(function* () {
      const good = yield* Effect.all([issuerKey("a"), issuerKey("b", "RS256"), issuerKey("c", "EdDSA")])
      const p384 = yield* issuerKey("d", "ES384")
      const encryption = { ...(yield* issuerKey("e")).jwk, use: "enc" }
      const unknown = { kty: "NEW", kid: "f" }
      const path = yield* writeKeys(...good.map(({ jwk }) => jwk), p384.jwk, encryption, unknown)
      const { verify } = yield* verifierOn(yield* file(path))
      for (const { token } of good) expect(yield* verify(token)).toMatchObject({ sub: "user_1" })
      expect(yield* errorTag(verify(p384.token))).toBe("InvalidToken")
      expect(yield* errorTag(verify((yield* issuerKey("a2")).token))).toBe("InvalidToken")
    })
  )

  it.effect("refuses a file that is not there, not JSON or no key set", () =>
    Effect.gen(function* () {
      expect(yield* problemOf(join(folder, "missing.json"))).toContain("ENOENT")
      expect(yield* problemOf(folder)).toContain("EISDIR")
      const { jwk } = yield* issuerKey("a")
      for (const text of ["", "{", "[]", "{}", JSON.stringify(jwk), '{"keys":[1]}', '{"keys":{}}']) {
        expect(yield* problemOf(yield* write(text))).toContain("is not a JSON Web Key Set")
      }
    })
  )

  it.effect("refuses a file without a usable key", () =>
    Effect.gen(function* () {
      const p384 = (yield* issuerKey("d", "ES384")).jwk
      const encryption = { ...(yield* issuerKey("e")).jwk, use: "enc" }
      const otherAlgorithm = { ...(yield* issuerKey("r", "RS256")).jwk, alg: "RS512" }
      expect(yield* problemOf(yield* writeKeys())).toContain("holds no key for")
      expect(yield* problemOf(yield* writeKeys(p384, encryption, otherAlgorithm))).toContain("holds no key for")
    })
  )

  it.effect("refuses a broken key, and says which", () =>
    Effect.gen(function* () {
      const [{ jwk }, other] = yield* Effect.all([issuerKey("a"), issuerKey("b")])
      const problem = yield* problemOf(yield* writeKeys(other.jwk, { ...jwk, x: "AAAA" }))
      expect(problem).toContain("cannot be used (kid a)")
    })
  )

  it.effect("refuses private and secret keys, without repeating them", () =>
    Effect.gen(function* () {
      const { jwk, privateJwk } = yield* issuerKey("a")
      const secret = { kty: "oct", k: "c2VjcmV0" }
      for (const key of [privateJwk, secret]) {
        const problem = yield* problemOf(yield* writeKeys(jwk, key))
        expect(problem).toContain("private or secret key")
        expect(problem).not.toContain("c2VjcmV0")
      }
    })
  )
})
