import { call } from "../api/Api.ts"
import { credentialOf, signOut } from "../api/Credential.ts"
import { Problem } from "../api/Problem.ts"
import { Door } from "../parts/Door.tsx"
import { Field } from "../parts/Field.tsx"
import { Form } from "../parts/Form.tsx"
import { tell } from "../state/Notices.ts"
import { go } from "../state/Router.ts"
import { session, trySession } from "../state/Session.ts"
import { invitationIn } from "./InvitationIn.ts"

const member = "You are a member now"

/** Their token may be older than their membership, or of another organisation: then it does not open this one. */
const accept = async (invitation: string, secret: string, key: string): Promise<void> => {
  const as = credentialOf("token", secret)
  const { data } = await call("invitations", "accept", { path: { token: invitationIn(invitation) } }, { as, key })
  signOut()
  await trySession(as).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error
    signOut(`${member}. Sign in with a token for the organisation.`)
  })
  const there = session.value?.organization?.org_id === data.org_id
  tell(there ? member : `${member}. A token for the organisation opens it.`)
  go("")
}

export const AcceptInvitation = ({ token }: { readonly token: string }) => (
  <Door title="Accept an invitation">
    <Form submit="Accept" onSubmit={({ invitation = "", secret = "" }, key) => accept(invitation, secret, key)}>
      <Field
        name="invitation"
        label="Invitation"
        value={token}
        hint="From the message that you were sent: the whole address, or the code in it."
        required
      />
      <Field
        name="secret"
        label="Token (JWT)"
        kind="password"
        hint="From your identity provider, with the e-mail address that was invited."
        required
      />
    </Form>
    <p class="muted small">
      <a href="#/">Sign in to the console</a>
    </p>
  </Door>
)
