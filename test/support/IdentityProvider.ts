/** An OpenID Connect provider on loopback: oidc-provider with sign-in by name alone, and sign-out by a button. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { exportJWK, generateKeyPair } from "jose"
import Provider from "oidc-provider"
import { freePort } from "../bench/FreePort.ts"

export const consoleClient = "corridor-console"
export const audience = "https://corridor.example/api"

/** Claims of the person's tokens, besides `sub`. */
export type Claims = Readonly<Record<string, string | boolean>>

export interface IdentityProvider {
  readonly issuer: string
  /** People by `sub`, which is what they type in to sign in. */
  readonly people: Map<string, Claims>
  /** Further claims of tokens from a refresh token, by `sub`. */
  readonly renewed: Map<string, Claims>
  /** Grant types of the token requests so far. */
  readonly grants: ReadonlyArray<string>
  /** Parameters of the sign-in requests so far. */
  readonly requests: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly stop: () => Promise<void>
}

const page = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>${title}</title><h1>${title}</h1>${content}</html>`

const signInForm = (uid: string): string =>
  page(
    "Identity provider",
    `<form method="post" action="/interaction/${uid}"><label>Name <input name="login" autofocus></label>
      <button>Continue</button> <button name="refused" value="yes">Refuse</button></form>`
  )

const bodyOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

interface TokenContext {
  readonly oidc: { readonly params?: Readonly<Record<string, unknown>> }
}

interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string }
    readonly session: { readonly accountId: string }
    readonly provider: Provider
  }
}

/** `console`: address of the console that people return to. */
export const startIdentityProvider = async (console: string): Promise<IdentityProvider> => {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const people = new Map<string, Claims>()
  const renewed = new Map<string, Claims>()
  const grants: Array<string> = []
  const requests: Array<Readonly<Record<string, unknown>>> = []
  const { privateKey } = await generateKeyPair("ES256", { extractable: true })
  const key = { ...(await exportJWK(privateKey)), kid: "k1", use: "sig", alg: "ES256" }
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: consoleClient,
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token"],
        redirect_uris: [console],
        post_logout_redirect_uris: [console],
        id_token_signed_response_alg: "ES256"
      }
    ],
    jwks: { keys: [key] },
    cookies: { keys: ["not secret"] },
    ttl: { AccessToken: 3600, IdToken: 3600, Interaction: 3600, Session: 3600, Grant: 86_400, RefreshToken: 86_400 },
    clientBasedCORS: () => true,
    issueRefreshToken: () => true,
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...people.get(sub) })
    }),
    extraTokenClaims: ({ oidc }: TokenContext, { accountId }: { readonly accountId: string }) => ({
      ...people.get(accountId),
      ...(oidc.params?.["grant_type"] === "refresh_token" ? renewed.get(accountId) : {})
    }),
    // Consent is given in advance.
    loadExistingGrant: async ({ oidc }: GrantContext) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope("openid email")
      grant.addResourceScope(audience, "")
      await grant.save()
      return grant
    },
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: "",
          audience,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "ES256" } }
        })
      },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx: { body: string }, form: string) => {
          ctx.body = page(
            "Sign out?",
            `${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button>`
          )
        }
      }
    }
  })
  provider.on("grant.success", ({ oidc }: TokenContext) => grants.push(String(oidc.params?.["grant_type"])))
  provider.on("authorization.success", ({ oidc }: TokenContext) => requests.push({ ...oidc.params }))
  const answer = provider.callback()
  const interact = async (request: IncomingMessage, response: ServerResponse, uid: string): Promise<void> => {
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/html" }).end(signInForm(uid))
      return
    }
    const form = await bodyOf(request)
    const refused = { error: "access_denied", error_description: "The person said no" }
    const login = { login: { accountId: form.get("login")!, remember: false } }
    await provider.interactionFinished(request, response, form.has("refused") ? refused : login)
  }
  const server = createServer((request, response) => {
    const uid = /^\/interaction\/([\w-]+)$/.exec(request.url ?? "")?.[1]
    if (uid === undefined) answer(request, response)
    else void interact(request, response, uid)
  })
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done))
  return {
    ...{ issuer, people, renewed, grants, requests },
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections()
        server.close(() => done())
      })
  }
}
