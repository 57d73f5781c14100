import { useState } from "preact/hooks"
import { Problem } from "../api/Problem.ts"
import { Door } from "../parts/Door.tsx"
import { Field } from "../parts/Field.tsx"
import { Form } from "../parts/Form.tsx"
import { credentialOf, farewell, type Kind, usualKind } from "../api/Credential.ts"
import { trySession } from "../state/Session.ts"

const kinds: ReadonlyArray<readonly [kind: Kind, name: string, label: string]> = [
  ["token", "Token", "Token (JWT)"],
  ["api_key", "API key", "API key"]
]

const refused: Readonly<Record<Kind, string>> = {
  token: "The token is wrong, has run out, or is not for this Corridor.",
  api_key: "The API key is wrong, was revoked, or is not of this Corridor."
}

export const SignIn = () => {
  const [kind, setKind] = useState(usualKind.value)
  const label = kinds.find(([one]) => one === kind)![2]
  return (
    <Door title="Sign in to the console">
      {farewell.value !== undefined && (
        <p class="farewell" role="status">
          {farewell.value}
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
          await trySession(credentialOf(kind, secret)).catch((error: unknown) => {
            throw error instanceof Problem && error.status === 401 ? new Problem(401, refused[kind]) : error
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
              ? "From your identity provider. What you do is logged in your name."
              : "Starts with ck_. What you do is logged in the name of the key."
          }
        />
      </Form>
      <p class="muted small">
        It stays in this tab: it is in no cookie and no address, and it is gone when the tab is closed.
      </p>
      <p class="muted small">
        <a href="#/invitation">I was invited</a>
      </p>
    </Door>
  )
}
