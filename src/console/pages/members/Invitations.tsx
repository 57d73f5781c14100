import { call } from "../../api/Api.ts"
import { Card } from "../../parts/Card.tsx"
import { Table } from "../../parts/Table.tsx"
import { Task } from "../../parts/Task.tsx"
import { Time } from "../../parts/Time.tsx"
import { useAll } from "../../state/All.ts"
import { nameOf } from "../../state/Words.ts"

/** Those that nobody has accepted yet. */
export const Invitations = ({ org, turn }: { readonly org: string; readonly turn: number }) => {
  const { data = [], reload } = useAll(
    (page, signal) => call("invitations", "list", { path: { org_id: org }, urlParams: page }, { signal }),
    [org, turn]
  )
  const open = data.filter(({ status }) => status === "pending")
  if (open.length === 0) return null
  return (
    <Card title="Invited">
      <Table
        caption="Open invitations"
        rows={open}
        keyOf={({ invitation_id }) => invitation_id}
        columns={[
          { name: "E-mail", show: ({ email }) => email },
          { name: "Role", show: ({ role }) => nameOf(role) },
          { name: "Until", align: "end", wide: true, show: ({ expires_at }) => <Time at={expires_at} /> },
          {
            name: "Actions",
            quiet: true,
            align: "end",
            show: ({ email, invitation_id }) => (
              <Task
                name="Withdraw"
                label={`Withdraw the invitation of ${email}`}
                title="Withdraw the invitation"
                kind="danger"
                says={`The link that ${email} was sent stops working at once.`}
                submit="Withdraw"
                done="Invitation withdrawn"
                onDone={reload}
                act={(_, key) => call("invitations", "withdraw", { path: { org_id: org, invitation_id } }, { key })}
              />
            )
          }
        ]}
      />
    </Card>
  )
}
