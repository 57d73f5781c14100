/** Check of the console's sign-in by `corridor doctor`, with a real answer of a provider. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, it } from "vitest"
import { Effect, Option } from "effect"
import { signInCheck } from "../../src/cli/doctor/Doctor.ts"

let metadata: object | string
let issuer: string
const server = createServer((request, response) => {
  const isThere = request.url === "/.well-known/openid-configuration"
  response.writeHead(isThere ? 200 : 404).end(typeof metadata === "string" ? metadata : JSON.stringify(metadata))
})

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

const said = (change: { readonly issuer?: string; readonly origins?: ReadonlyArray<string> } = {}) => {
  const signIn = {
    ...{ issuer, clientId: "console", scope: "openid", audience: "https://pay.example/api" },
    ...{ audienceParameter: "resource" as const, origins: [issuer], ...change }
  }
  const jwt = {
    jwksUrl: Option.some(`${issuer}/jwks`),
    ...{ jwksFile: Option.none(), issuer: Option.some(issuer), audience: Option.some(signIn.audience) }
  }
  const values = { consoleSignIn: Option.some(signIn), jwt, mode: "live" as const, publicUrl: "https://pay.example" }
  return Effect.runPromise(signInCheck(values))
}

const usual = (): object => ({
  ...{ issuer, jwks_uri: `${issuer}/jwks`, token_endpoint: `${issuer}/token` },
  code_challenge_methods_supported: ["S256"]
})

it("is in order with the provider's metadata, and names the address to register", async (): Promise<void> => {
  metadata = usual()
  const [check] = await said()
  expect(check).toMatchObject({ name: "Console sign-in", status: "ok" })
  expect(check!.message).toContain("https://pay.example/console")
})

const contradictions: ReadonlyArray<readonly [what: string, answer: () => object | string, string, RegExp]> = [
  ["another issuer", () => ({ ...usual(), issuer: `${issuer}/` }), "fail", /but the identity provider calls itself/],
  ["another origin", () => ({ ...usual(), token_endpoint: "https://t.example/t" }), "fail", /=https:\/\/t\.example/],
  ["other keys", () => ({ ...usual(), jwks_uri: `${issuer}/other` }), "warn", /JWT_JWKS_URL is/],
  ["no PKCE", () => ({ ...usual(), code_challenge_methods_supported: ["plain"] }), "warn", /PKCE/],
  ["no JSON", () => "<html>", "fail", /no metadata of the identity provider/]
]

it.each(contradictions)("finds %s", async (_, answer, status, message) => {
  metadata = answer()
  const [check] = await said()
  expect(check).toMatchObject({ status, message: expect.stringMatching(message) })
})

it("takes a token endpoint whose origin is a setting", async () => {
  metadata = { ...usual(), token_endpoint: "https://t.example/t" }
  expect(await said({ origins: [issuer, "https://t.example"] })).toMatchObject([{ status: "ok" }])
})

it("warns live mode without a client, and is silent in a sandbox", async () => {
  const values = {
    ...{ consoleSignIn: Option.none(), publicUrl: "https://pay.example" },
    jwt: { jwksUrl: Option.none(), jwksFile: Option.none(), issuer: Option.none(), audience: Option.none() }
  }
  expect(await Effect.runPromise(signInCheck({ ...values, mode: "live" }))).toMatchObject([{ status: "warn" }])
  expect(await Effect.runPromise(signInCheck({ ...values, mode: "sandbox" }))).toEqual([])
})
