import { Card } from "../../parts/Card.tsx"
import { Field } from "../../parts/Field.tsx"
import { Form } from "../../parts/Form.tsx"
import { go } from "../../state/Router.ts"

/** For whoever may read a payment that they know of, and no list of them. */
export const Welcome = ({ name }: { readonly name: string }) => (
  <Card title="Welcome">
    <p class="says">
      You are signed in to {name} as a member. The pages that your role opens are in the menu; for more, ask an org
      admin for a permission.
    </p>
    <Form submit="Open" onSubmit={async ({ id = "" }) => go(`payments/${id}`)}>
      <Field name="id" label="A payment's id" placeholder="0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88" required />
    </Form>
  </Card>
)
