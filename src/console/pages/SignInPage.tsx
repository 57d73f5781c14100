import { useEffect, useState } from "preact/hooks"
import type { ComponentChildren } from "preact"
import { Problem } from "../api/ApiResponse.ts"
import { mode, provider, type ProviderSettings, startSignIn, takesPasted } from "../api/ProviderSignIn.ts"
import { type Kind, pastedCredential } from "../api/Credentials.ts"
import { lastKind, signInProblem, signOutReason } from "../api/TabCredential.ts"
import { Field, Form } from "../components/Form.tsx"
import { ProblemNote, Skeleton } from "../components/Loading.tsx"
import { signIn } from "../state/ConsoleSession.ts"
import { linkTo } from "../state/HashRouter.ts"
import { acceptInvitation } from "./ProviderReturn.ts"
import { invitationCode } from "../state/TypedInput.ts"

/** Frame of the pages before sign-in. */
const SignInFrame = ({ children, title }: { readonly title: string; readonly children: ComponentChildren }) => {
  useEffect(() => {
    document.title = `${title} · Corridor`
  }, [title])
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <p class="brand">
          <span class="mark" aria-hidden="true" />
          Corridor
        </p>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}

/** Shown while the answer of the identity provider is processed. */
export const ReturningPage = () => (
  <SignInFrame title="Signing in">
    <Skeleton lines={3} />
  </SignInFrame>
)

/** Reason why the last sign-in failed, or the last session ended. */
const SignInNotes = () => (
  <>
    {signOutReason.value !== undefined && (
      <p class="sign-out-reason" role="status">
        {signOutReason.value}
      </p>
    )}
    {signInProblem.value !== undefined && <ProblemNote problem={signInProblem.value} />}
  </>
)

const kinds: ReadonlyArray<readonly [kind: Kind, name: string, label: string]> = [
  ["token", "Token", "Token (JWT)"],
  ["api_key", "API key", "API key"]
]

const refusals: Readonly<Record<Kind, string>> = {
  token: "The token is invalid, expired, or issued for another service.",
  api_key: "The API key is invalid, revoked, or from another service."
}

/** Says what was pasted if it is not what the field is for. */
const refusalOf = (chosen: Kind, kind: Kind, secret: string): string => {
  const isOther = kind === chosen ? "" : kind === "api_key" ? "This is an API key. " : "This is a token. "
  const otherMode = mode === "live" ? "test" : "live"
  return secret.startsWith(`ck_${otherMode}_`)
    ? `${isOther}Keys that start with ck_${otherMode}_ are for ${otherMode === "live" ? "live mode" : "the sandbox"}.`
    : `${isOther}${refusals[kind]}`
}

/** Takes what is pasted as what it is, whatever is chosen. */
const PastedSignIn = () => {
  const [chosen, setChosen] = useState(lastKind.value)
  const label = kinds.find(([one]) => one === chosen)![2]
  return (
    <>
      <fieldset class="segments">
        <legend class="unseen">Sign in with</legend>
        {kinds.map(([one, name]) => (
          <label key={one}>
            <input type="radio" name="kind" checked={one === chosen} onChange={() => setChosen(one)} />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      <Form
        key={chosen}
        submit="Sign in"
        onSubmit={async ({ secret: text = "" }) => {
          const [kind, secret] = pastedCredential(text, chosen)
          await signIn({ kind, secret }).catch((error: unknown) => {
            if (!(error instanceof Problem) || error.status !== 401) throw error
            throw new Problem(401, refusalOf(chosen, kind, secret))
          })
        }}
      >
        <Field
          name="secret"
          label={label}
          kind="password"
          required
          hint={
            chosen === "token"
              ? "From your identity provider. Actions are logged in your name."
              : "Starts with ck_. Actions are logged in the name of the key."
          }
        />
      </Form>
      <p class="muted small">Kept in this tab only, and removed when the tab is closed.</p>
    </>
  )
}

interface ProviderFormProps {
  readonly settings: ProviderSettings
  readonly submit: string
  /** Invitation to accept after the sign-in; undefined: returns to the page in the address. */
  readonly invitation?: string
  readonly children?: ComponentChildren
}

/** Leads to the identity provider and back to this page. */
const ProviderForm = ({ children, invitation, settings, submit }: ProviderFormProps) => (
  <Form
    submit={submit}
    onSubmit={({ invitation: typed = invitation }) => {
      // The provider would repeat a sign-in that was refused here without a question.
      const anew = signInProblem.value !== undefined
      signInProblem.value = undefined
      return typed === undefined
        ? startSignIn(settings, { anew, returnTo: location.hash })
        : startSignIn(settings, { anew, returnTo: linkTo(`invitation/${invitationCode(typed)}`), accepts: true })
    }}
  >
    {children}
    <p class="muted">
      You sign in at <strong>{new URL(settings.issuer).host}</strong> and return to this page.
    </p>
  </Form>
)

/** Folds a second way to sign in. */
const OtherWay = ({ children, title }: { readonly title: string; readonly children: ComponentChildren }) => (
  <details class="other-way">
    <summary>{title}</summary>
    <div class="other-way-content">{children}</div>
  </details>
)

export const SignInPage = () => (
  <SignInFrame title="Sign in to the console">
    <SignInNotes />
    {provider !== undefined && <ProviderForm settings={provider} submit="Sign in" />}
    {provider === undefined && <PastedSignIn />}
    {provider !== undefined && takesPasted && (
      <OtherWay title="Use an API key or a token">
        <PastedSignIn />
      </OtherWay>
    )}
    <p class="muted small">
      <a href="#/invitation">Accept an invitation</a>
    </p>
  </SignInFrame>
)

const acceptAsPasted = (invitation: string, text: string, key: string): Promise<void> => {
  const [kind, secret] = pastedCredential(text, "token")
  if (kind === "api_key") {
    throw new Problem(401, "This is an API key. A person accepts an invitation, so a token is needed.")
  }
  return acceptInvitation({ invitation, as: { kind: "token", secret }, key })
}

const InvitationField = ({ token }: { readonly token: string }) => (
  <Field
    name="invitation"
    label="Invitation"
    value={token}
    hint="The link or the code from the invitation e-mail."
    required
  />
)

const PastedAcceptance = ({ token }: { readonly token: string }) => (
  <Form
    submit="Accept"
    onSubmit={async ({ invitation = "", secret = "" }, key) => acceptAsPasted(invitation, secret, key)}
  >
    <InvitationField token={token} />
    <Field
      name="secret"
      label="Token (JWT)"
      kind="password"
      hint="From your identity provider, for the invited e-mail address."
      required
    />
  </Form>
)

export const AcceptInvitation = ({ token }: { readonly token: string }) => (
  <SignInFrame title="Accept an invitation">
    <SignInNotes />
    {provider !== undefined && (
      <ProviderForm settings={provider} submit="Sign in and accept" invitation={token}>
        {token === "" ? <InvitationField token="" /> : <p>Sign in with the e-mail address that was invited.</p>}
      </ProviderForm>
    )}
    {provider === undefined && <PastedAcceptance token={token} />}
    {provider !== undefined && takesPasted && (
      <OtherWay title="Use a token">
        <PastedAcceptance token={token} />
      </OtherWay>
    )}
    <p class="muted small">
      <a href="#/">Sign in to the console</a>
    </p>
  </SignInFrame>
)
