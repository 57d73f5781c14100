import { useState, useEffect } from "preact/hooks"
import { Problem } from "../api/ApiResponse.ts"
import { Field, Form } from "../components/Form.tsx"
import { credentialOf, signOutReason, type Kind, lastKind, signOut } from "../api/TabCredential.ts"
import { signIn, session } from "../state/ConsoleSession.ts"
import { call } from "../api/ConsoleApi.ts"
import { showNotice } from "../components/Dialog.tsx"
import { go } from "../state/HashRouter.ts"
import { invitationCode } from "../state/TypedInput.ts"
import type { ComponentChildren } from "preact"

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

const kinds: ReadonlyArray<readonly [kind: Kind, name: string, label: string]> = [
  ["token", "Token", "Token (JWT)"],
  ["api_key", "API key", "API key"]
]

const refusals: Readonly<Record<Kind, string>> = {
  token: "The token is invalid, expired, or issued for another service.",
  api_key: "The API key is invalid, revoked, or from another service."
}

export const SignInPage = () => {
  const [kind, setKind] = useState(lastKind.value)
  const label = kinds.find(([one]) => one === kind)![2]
  return (
    <SignInFrame title="Sign in to the console">
      {signOutReason.value !== undefined && (
        <p class="sign-out-reason" role="status">
          {signOutReason.value}
        </p>
      )}
      <fieldset class="segments">
        <legend class="unseen">Sign in with</legend>
        {kinds.map(([one, name]) => (
          <label key={one}>
            <input type="radio" name="kind" checked={one === kind} onChange={() => setKind(one)} />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      <Form
        key={kind}
        submit="Sign in"
        onSubmit={async ({ secret = "" }) => {
          await signIn(credentialOf(kind, secret)).catch((error: unknown) => {
            throw error instanceof Problem && error.status === 401 ? new Problem(401, refusals[kind]) : error
          })
        }}
      >
        <Field
          name="secret"
          label={label}
          kind="password"
          required
          hint={
            kind === "token"
              ? "From your identity provider. Actions are logged in your name."
              : "Starts with ck_. Actions are logged in the name of the key."
          }
        />
      </Form>
      <p class="muted small">Kept in this tab only, and removed when the tab is closed.</p>
      <p class="muted small">
        <a href="#/invitation">Accept an invitation</a>
      </p>
    </SignInFrame>
  )
}

const member = "Invitation accepted"

/** The token may predate the membership or name another organisation, and then does not sign in to this one. */
const accept = async (invitation: string, secret: string, key: string): Promise<void> => {
  const as = credentialOf("token", secret)
  const { data } = await call("invitations", "accept", { path: { token: invitationCode(invitation) } }, { as, key })
  signOut()
  await signIn(as).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error
    signOut(`${member}. Sign in with a token for the organisation.`)
  })
  const there = session.value?.organization?.org_id === data.org_id
  showNotice(there ? member : `${member}. Sign in with a token for the organisation.`)
  go("")
}

export const AcceptInvitation = ({ token }: { readonly token: string }) => (
  <SignInFrame title="Accept an invitation">
    <Form submit="Accept" onSubmit={({ invitation = "", secret = "" }, key) => accept(invitation, secret, key)}>
      <Field
        name="invitation"
        label="Invitation"
        value={token}
        hint="The link or the code from the invitation e-mail."
        required
      />
      <Field
        name="secret"
        label="Token (JWT)"
        kind="password"
        hint="From your identity provider, for the invited e-mail address."
        required
      />
    </Form>
    <p class="muted small">
      <a href="#/">Sign in to the console</a>
    </p>
  </SignInFrame>
)
