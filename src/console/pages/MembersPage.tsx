import { useState } from "preact/hooks"
import { roles, holds, permissions } from "../../domain/Roles.ts"
import { type BoundCall, getAll, type Item } from "../api/ConsoleApi.ts"
import { PagedTable, OneOrgPage } from "../components/Loading.tsx"
import { Field, type Values } from "../components/Form.tsx"
import { Page, Card } from "../components/PageFrame.tsx"
import { Table } from "../components/DataTable.tsx"
import { ActionButton } from "../components/Dialog.tsx"
import { Time } from "../components/Values.tsx"
import { linkTo } from "../state/HashRouter.ts"
import { useList, useLoad } from "../state/LoadHooks.ts"
import { hasAccess, session } from "../state/ConsoleSession.ts"
import { labelOf, optionsOf } from "../state/Display.ts"

/** Pending invitations. */
const Invitations = ({ org, turn }: { readonly org: string; readonly turn: number }) => {
  const { data = [], reload } = useLoad(
    (get) => getAll(get, "invitations", "list", { path: { org_id: org } }),
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
          { name: "Role", show: ({ role }) => labelOf(role) },
          { name: "Until", align: "end", wide: true, show: ({ expires_at }) => <Time at={expires_at} /> }
        ]}
        actions={({ email, invitation_id }) => (
          <ActionButton
            name="Withdraw"
            label={`Withdraw the invitation of ${email}`}
            title="Withdraw the invitation"
            kind="danger"
            explanation={`The link that ${email} was sent stops working at once.`}
            done="Invitation withdrawn"
            onDone={reload}
            act={(_, send) => send("invitations", "withdraw", { path: { org_id: org, invitation_id } })}
          />
        )}
      />
    </Card>
  )
}

type Member = Item<"members", "list">

const save = async (member: Member, values: Values, send: BoundCall) => {
  const path = { org_id: member.org_id, user_id: member.user_id }
  const role = values["role"] as Member["role"]
  if (role !== member.role) await send("members", "change", { path, payload: { role } })
  const wanted = permissions.filter((permission) => values[permission] === "on")
  if (wanted.join() !== member.permissions.join()) {
    await send("members", "replace", { path, payload: { permissions: wanted } })
  }
}

const ChangeMember = ({ member }: { readonly member: Member }) => (
  <ActionButton
    name="Change"
    label={`Change ${member.email}`}
    title={`Access of ${member.email}`}
    explanation="Takes effect with the next request. Rights of the role cannot be removed one by one."
    submit="Save"
    done="Member changed"
    act={(values, send) => save(member, values, send)}
  >
    <Field name="role" label="Role" options={optionsOf(roles)} value={member.role} />
    <fieldset class="checks">
      <legend>Extra permissions</legend>
      {permissions.map((permission) => {
        const byRole = holds(member.role, [], permission)
        return (
          <label key={permission} class={byRole ? "muted" : ""}>
            <input
              type="checkbox"
              name={permission}
              defaultChecked={member.permissions.includes(permission)}
              disabled={byRole}
            />
            {labelOf(permission)}
            {byRole && " (by role)"}
          </label>
        )
      })}
    </fieldset>
  </ActionButton>
)

const Invite = ({ onDone, org }: { readonly org: string; readonly onDone: () => void }) => (
  <ActionButton
    name="Invite"
    icon="plus"
    kind="primary"
    title="Invite a member"
    explanation="Sends an e-mail with a link that works once, for 7 days, for that address only."
    submit="Send the invitation"
    done="Invitation sent"
    onDone={onDone}
    act={({ email = "", role = "member" }, send) =>
      send("invitations", "invite", { path: { org_id: org }, payload: { email, role: role as Member["role"] } })
    }
  >
    <Field name="email" label="E-mail" kind="email" required />
    <Field name="role" label="Role" options={optionsOf(roles)} />
  </ActionButton>
)

const Remove = ({ member }: { readonly member: Member }) => (
  <ActionButton
    name="Remove"
    label={`Remove ${member.email}`}
    title="Remove a member"
    kind="danger"
    explanation={`${member.email} loses access at once. Their API keys are revoked and their open invitations withdrawn.`}
    submit="Remove the member"
    done="Member removed"
    act={(_, send) => send("members", "remove", { path: { org_id: member.org_id, user_id: member.user_id } })}
  />
)

const title = "Members"
const lead = "Roles give access to pages and actions; permissions add single actions."

const MembersOfOrg = ({ org }: { readonly org: string }) => {
  const [turn, setTurn] = useState(0)
  const list = useList("members", "list", { path: { org_id: org }, urlParams: { limit: 50 } })
  return (
    <Page
      title={title}
      lead={lead}
      actions={hasAccess("members") ? <Invite org={org} onDone={() => setTurn(turn + 1)} /> : undefined}
    >
      <PagedTable
        list={list}
        empty={["members", "No members"]}
        caption="Members"
        keyOf={({ user_id }) => user_id}
        columns={[
          {
            name: "Person",
            show: ({ email, user_id }) => (
              <span>
                <strong>{email}</strong>
                {user_id === session.value?.user_id && <span class="muted"> (you)</span>}
              </span>
            )
          },
          { name: "Role", show: ({ role }) => labelOf(role) },
          {
            name: "Extra permissions",
            wide: true,
            show: ({ permissions }) => permissions.map(labelOf).join(", ") || <span class="muted">–</span>
          },
          { name: "Joined", align: "end", wide: true, show: ({ created_at }) => <Time at={created_at} /> }
        ]}
        actions={(member) => (
          <>
            {hasAccess("audit") && (
              <a
                class="button"
                aria-label={`Audit trail of ${member.email}`}
                href={linkTo("audit", { actor_id: member.user_id, person: member.email })}
              >
                Audit trail
              </a>
            )}
            {hasAccess("members") && (
              <>
                <ChangeMember member={member} />
                <Remove member={member} />
              </>
            )}
          </>
        )}
      />
      {hasAccess("members") && <Invitations org={org} turn={turn} />}
    </Page>
  )
}

export const MembersPage = () => (
  <OneOrgPage title={title} lead={lead}>
    {(org) => <MembersOfOrg org={org} />}
  </OneOrgPage>
)
