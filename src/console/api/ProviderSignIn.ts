/** Sign-in at the identity provider: authorization code with PKCE, renewal by refresh token, sign-out. */
import * as oauth from "oauth4webapi"
import { Problem } from "./ApiResponse.ts"
import { type IssuedTokens, placeInConsole, refusalOf, renewalTime, tokenForApi } from "./Credentials.ts"
import { providerTokens, signOut, signOutReason, storeCredential, type TabTokens } from "./TabCredential.ts"

/** Identity provider that people sign in at. */
export interface ProviderSettings {
  readonly issuer: string
  readonly clientId: string
  readonly scope: string
  readonly audience: string
  readonly audienceParameter: "resource" | "audience" | "none"
}

interface PageSettings {
  readonly mode: "sandbox" | "live"
  readonly provider?: ProviderSettings
}

export const { mode, provider } = JSON.parse(document.getElementById("console")!.dataset["settings"]!) as PageSettings

/** Live mode takes pasted keys and tokens only without an identity provider to sign in at. */
export const takesPasted = provider === undefined || mode === "sandbox"

/** Values that the provider's answer has to match; kept in the tab during the redirect only. */
interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Address in the console to return to: the part from the # on. */
  readonly returnTo: string
  /** Accepts the invitation of that address. */
  readonly accepts: boolean
}

const PENDING = "corridor.sign-in"
const TIMEOUT = 15_000

const failed = (message: string): Problem => new Problem(401, message)

const wordsFor = (error: unknown, { issuer }: ProviderSettings): Problem => {
  if (error instanceof Problem) return error
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    return failed(refusalOf(error.error, error.error_description))
  }
  if (error instanceof oauth.OperationProcessingError) {
    return failed(`The answer of the identity provider is not valid: ${error.message}.`)
  }
  return failed(
    `The identity provider ${issuer} cannot be reached, or does not allow requests from ${location.origin} (CORS).`
  )
}

const withSignInErrors = async <A>(settings: ProviderSettings, run: () => Promise<A>): Promise<A> => {
  try {
    return await run()
  } catch (error) {
    throw wordsFor(error, settings)
  }
}

const clientOf = ({ clientId }: ProviderSettings): oauth.Client => ({
  client_id: clientId,
  [oauth.clockTolerance]: 60
})

/** The server allows an issuer without TLS in sandbox mode only. */
const requestOptions = ({ issuer }: ProviderSettings) => ({
  signal: AbortSignal.timeout(TIMEOUT),
  [oauth.allowInsecureRequests]: issuer.startsWith("http:")
})

/** The page itself, as it is registered with the provider. */
const consoleAddress = (): string => new URL("console", document.baseURI).href

let known: Promise<oauth.AuthorizationServer> | undefined

const discover = (settings: ProviderSettings): Promise<oauth.AuthorizationServer> => {
  const issuer = new URL(settings.issuer)
  const read = async () => {
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, requestOptions(settings))
    )
    if (server.issuer !== settings.issuer) {
      throw failed(`JWT_ISSUER is ${settings.issuer}, but the identity provider calls itself ${server.issuer}.`)
    }
    return server
  }
  known ??= read().catch((error: unknown) => {
    known = undefined
    throw error
  })
  return known
}

/** Parameters of a token request. */
const resourceOf = ({ audience, audienceParameter }: ProviderSettings): Record<string, string> =>
  audienceParameter === "resource" ? { resource: audience } : {}

interface SignInRequest {
  readonly returnTo: string
  readonly accepts?: boolean
  /** Asks for the password again, so that another person can sign in. */
  readonly anew?: boolean
}

/** Leaves the page for the provider. */
export const startSignIn = async (
  settings: ProviderSettings,
  { accepts = false, anew = false, returnTo }: SignInRequest
): Promise<void> => {
  const { authorization_endpoint } = await withSignInErrors(settings, () => discover(settings))
  if (authorization_endpoint === undefined) throw failed("The identity provider has no page to sign in at.")
  const pending: PendingSignIn = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
    returnTo,
    accepts
  }
  sessionStorage.setItem(PENDING, JSON.stringify(pending))
  const { audience, audienceParameter, clientId, scope } = settings
  const address = new URL(authorization_endpoint)
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: consoleAddress(),
    scope,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: "S256",
    ...(audienceParameter === "none" ? {} : { [audienceParameter]: audience }),
    ...(anew ? { prompt: "login" } : {})
  }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  location.assign(address)
}

/** Answer of the provider in the address, with the sign-in that it belongs to. */
export interface ProviderAnswer {
  readonly parameters: URLSearchParams
  readonly pending: PendingSignIn | undefined
}

/** Takes the answer out of the address and of the history; undefined if there is none. Each answer is taken once. */
export const takeAnswer = (): ProviderAnswer | undefined => {
  const parameters = new URLSearchParams(location.search)
  if (!parameters.has("code") && !parameters.has("error")) return undefined
  const stored = sessionStorage.getItem(PENDING)
  sessionStorage.removeItem(PENDING)
  const pending = stored === null ? undefined : (JSON.parse(stored) as PendingSignIn)
  history.replaceState(null, "", location.pathname)
  location.replace(placeInConsole(pending?.returnTo ?? ""))
  return { parameters, pending }
}

const held = (settings: ProviderSettings, tokens: IssuedTokens, before?: TabTokens): TabTokens => {
  const token = tokenForApi(tokens, settings.audience)
  if (token === undefined) {
    throw failed(
      `The identity provider issued no token for ${settings.audience}. An operator has to check JWT_AUDIENCE and CONSOLE_AUDIENCE_PARAMETER.`
    )
  }
  return {
    token,
    renewAt: renewalTime(token, Date.now()),
    idToken: tokens.id_token ?? before?.idToken,
    // A provider that does not rotate it sends none.
    refreshToken: tokens.refresh_token ?? before?.refreshToken
  }
}

/** Exchanges the code of an answer for tokens. */
export const finishSignIn = (settings: ProviderSettings, { parameters, pending }: ProviderAnswer): Promise<TabTokens> =>
  withSignInErrors(settings, async () => {
    if (pending === undefined || parameters.get("state") !== pending.state) {
      throw failed("This sign-in was not started in this tab, or was used before. Sign in again.")
    }
    const server = await discover(settings)
    const client = clientOf(settings)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      oauth.validateAuthResponse(server, client, parameters, pending.state),
      consoleAddress(),
      pending.verifier,
      { ...requestOptions(settings), additionalParameters: resourceOf(settings) }
    )
    const expected = { expectedNonce: pending.nonce, requireIdToken: true }
    return held(settings, await oauth.processAuthorizationCodeResponse(server, client, response, expected))
  })

/** Tokens with a later end, and with the claims that the provider has now. */
export const renewedTokens = async (settings: ProviderSettings, tokens: TabTokens): Promise<TabTokens> => {
  const server = await discover(settings)
  const client = clientOf(settings)
  const options = { ...requestOptions(settings), additionalParameters: resourceOf(settings) }
  const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refreshToken!, options)
  return held(settings, await oauth.processRefreshTokenResponse(server, client, response), tokens)
}

/** Time without another attempt after the provider could not be reached. */
const RETRY = 30_000

/** A refused refresh token is not used again. */
const afterFailure = (tokens: TabTokens, error: unknown): TabTokens =>
  error instanceof oauth.ResponseBodyError
    ? { ...tokens, refreshToken: undefined }
    : { ...tokens, renewAt: Date.now() + RETRY }

const renewTab = async (settings: ProviderSettings, tokens: TabTokens): Promise<boolean> => {
  const outcome = await renewedTokens(settings, tokens).catch((error: unknown) => afterFailure(tokens, error))
  // The person may have signed out meanwhile.
  if (providerTokens()?.token !== tokens.token) return false
  storeCredential({ kind: "token", secret: outcome.token }, outcome)
  return outcome.token !== tokens.token
}

let renewing: Promise<boolean> | undefined

/** True if the tab has new tokens. Simultaneous requests share one renewal, since a refresh token may work only once. */
export const renew = (): Promise<boolean> => {
  const tokens = providerTokens()
  if (provider === undefined || tokens?.refreshToken === undefined) return Promise.resolve(false)
  renewing ??= renewTab(provider, tokens).finally(() => {
    renewing = undefined
  })
  return renewing
}

export const renewIfDue = async (): Promise<void> => {
  if (Date.now() >= (providerTokens()?.renewAt ?? Number.POSITIVE_INFINITY)) await renew()
}

/** Signs out here and at the provider, whose page returns to the console. */
export const endSession = async (): Promise<void> => {
  const tokens = providerTokens()
  signOut()
  if (provider === undefined || tokens === undefined) return
  const settings = provider
  try {
    const server = await discover(settings)
    const { refreshToken } = tokens
    if (refreshToken !== undefined && server.revocation_endpoint !== undefined) {
      const client = clientOf(settings)
      await oauth
        .revocationRequest(server, client, oauth.None(), refreshToken, requestOptions(settings))
        .catch(() => undefined)
    }
    if (server.end_session_endpoint === undefined) throw failed("The provider has no sign-out.")
    const address = new URL(server.end_session_endpoint)
    address.searchParams.set("client_id", settings.clientId)
    address.searchParams.set("post_logout_redirect_uri", consoleAddress())
    if (tokens.idToken !== undefined) address.searchParams.set("id_token_hint", tokens.idToken)
    location.assign(address)
  } catch {
    signOutReason.value = "Signed out of the console. You may still be signed in at the identity provider."
  }
}
