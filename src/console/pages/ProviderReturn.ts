/** Return from the identity provider: signs in, or accepts the invitation that the sign-in was for. */
import { signal } from "@preact/signals"
import { Problem } from "../api/ApiResponse.ts"
import { call } from "../api/ConsoleApi.ts"
import { type ProviderSettings, provider } from "../api/ProviderSignIn.ts"
import { finishSignIn, type ProviderAnswer, renewedTokens, takeAnswer } from "../api/ProviderSignIn.ts"
import { type Credential, signInProblem, signOut, type TabTokens } from "../api/TabCredential.ts"
import { showNotice } from "../components/Dialog.tsx"
import { session, signIn } from "../state/ConsoleSession.ts"
import { go } from "../state/HashRouter.ts"
import { problemFrom } from "../state/LoadHooks.ts"
import { invitationCode } from "../state/TypedInput.ts"

/** True until the answer of the provider is processed. */
export const returning = signal(false)

const signInWith = (tokens: TabTokens): Promise<void> => signIn({ kind: "token", secret: tokens.token }, tokens)

/** True if the tab is now signed in to this organisation. The invitation is accepted either way, so a failure is no error. */
const signedInTo = async (organization: string, attempt: () => Promise<void>): Promise<boolean> => {
  await attempt().catch(() => undefined)
  return session.value?.organization?.org_id === organization
}

/** The provider may name the organisation in new tokens only. */
const signInRenewed = async (tokens: TabTokens | undefined): Promise<void> => {
  if (provider !== undefined && tokens?.refreshToken !== undefined) {
    await signInWith(await renewedTokens(provider, tokens))
  }
}

interface AcceptInvitation {
  readonly invitation: string
  readonly as: Credential
  readonly key?: string
  readonly tokens?: TabTokens
}

const member = "Invitation accepted"

/** The token may predate the membership or name another organisation, and then does not sign in to this one. */
export const acceptInvitation = async ({ as, invitation, key, tokens }: AcceptInvitation): Promise<void> => {
  const { data } = await call("invitations", "accept", { path: { token: invitationCode(invitation) } }, { as, key })
  signOut()
  const isThere =
    (await signedInTo(data.org_id, () => signIn(as, tokens))) ||
    (await signedInTo(data.org_id, () => signInRenewed(tokens)))
  const advice =
    tokens === undefined
      ? "Sign in with a token for the organisation."
      : `Your identity provider does not name this organisation in org_id yet (${data.org_id}). Ask its administrator, then sign in again.`
  const outcome = isThere ? member : `${member}. ${advice}`
  if (session.value === undefined) signOut(outcome)
  showNotice(outcome)
  go("")
}

const signInHere = (tokens: TabTokens): Promise<void> =>
  signInWith(tokens).catch((error: unknown) => {
    if (!(error instanceof Problem) || (error.status !== 401 && error.status !== 403)) throw error
    const reason =
      error.status === 401
        ? "the service does not accept its token. An operator has to check JWT_ISSUER, JWT_AUDIENCE and JWT_JWKS_URL."
        : error.message
    throw new Problem(401, `You are signed in at the identity provider, but not here: ${reason}`)
  })

const finish = async (settings: ProviderSettings, answer: ProviderAnswer) => {
  const tokens = await finishSignIn(settings, answer)
  const { accepts = false, returnTo = "" } = answer.pending ?? {}
  if (!accepts) return signInHere(tokens)
  return acceptInvitation({ invitation: returnTo, as: { kind: "token", secret: tokens.token }, tokens })
}

/** Called once, before the first page is shown. */
export const returnFromProvider = async (): Promise<void> => {
  if (provider === undefined) return
  const answer = takeAnswer()
  if (answer === undefined) return
  returning.value = true
  await finish(provider, answer).catch((error: unknown) => {
    signInProblem.value = problemFrom(error)
  })
  returning.value = false
}
