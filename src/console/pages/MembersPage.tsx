import { useState } from "preact/hooks"
import { roles, holds, permissions } from "../../domain/Roles.ts"
import { call, type Answer } from "../api/ConsoleApi.ts"
import { EmptyState, PagedList, OneOrgPage } from "../components/Loading.tsx"
import { Field } from "../components/Form.tsx"
import { Page, Card } from "../components/PageFrame.tsx"
import { Table } from "../components/DataTable.tsx"
import { ActionButton } from "../components/Dialog.tsx"
import { Time } from "../components/Values.tsx"
import { usePages, useAllPages } from "../state/LoadHooks.ts"
import { hasAccess, session } from "../state/ConsoleSession.ts"
import { labelOf } from "../state/Display.ts"

/** Pending invitations. */
export const Invitations = ({ org, turn }: { readonly org: string; readonly turn: number }) => {
  const { data = [], reload } = useAllPages(
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
          { name: "Role", show: ({ role }) => labelOf(role) },
          { name: "Until", align: "end", wide: true, show: ({ expires_at }) => <Time at={expires_at} /> },
          {
            name: "Actions",
            quiet: true,
            align: "end",
            show: ({ email, invitation_id }) => (
              <ActionButton
                name="Withdraw"
                label={`Withdraw the invitation of ${email}`}
                title="Withdraw the invitation"
                kind="danger"
                explanation={`The link that ${email} was sent stops working at once.`}
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

export type Member = Answer<"members", "list">["data"][number]

type Values = Readonly<Record<string, string>>

const save = async (member: Member, values: Values, key: string) => {
  const path = { org_id: member.org_id, user_id: member.user_id }
  const role = values["role"] as Member["role"]
  if (role !== member.role) await call("members", "change", { path, payload: { role } }, { key })
  const wanted = permissions.filter((permission) => values[permission] === "on")
  if (wanted.join() !== member.permissions.join()) {
    await call("members", "replace", { path, payload: { permissions: wanted } }, { key })
  }
}

export const ChangeMember = ({ member, onDone }: { readonly member: Member; readonly onDone: () => void }) => (
  <ActionButton
    name="Change"
    label={`Change ${member.email}`}
    title={`Access of ${member.email}`}
    explanation="Takes effect with the next request. Rights of the role cannot be removed one by one."
    submit="Save"
    done="Member changed"
    onDone={onDone}
    act={(values, key) => save(member, values, key)}
  >
    <Field name="role" label="Role" options={roles.map((role) => [role, labelOf(role)])} value={member.role} />
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
    act={({ email = "", role = "member" }, key) =>
      call(
        "invitations",
        "invite",
        { path: { org_id: org }, payload: { email, role: role as Member["role"] } },
        { key }
      )
    }
  >
    <Field name="email" label="E-mail" kind="email" required />
    <Field name="role" label="Role" options={roles.map((role) => [role, labelOf(role)])} />
  </ActionButton>
)

const Remove = ({ member, onDone }: { readonly member: Member; readonly onDone: () => void }) => (
  <ActionButton
    name="Remove"
    label={`Remove ${member.email}`}
    title="Remove a member"
    kind="danger"
    explanation={`${member.email} loses access at once. Their API keys are revoked and their open invitations withdrawn.`}
    submit="Remove the member"
    done="Member removed"
    onDone={onDone}
    act={(_, key) => call("members", "remove", { path: { org_id: member.org_id, user_id: member.user_id } }, { key })}
  />
)

const title = "Members"
const lead = "Roles give access to pages and actions; permissions add single actions."

const MembersOfOrg = ({ org }: { readonly org: string }) => {
  const [turn, setTurn] = useState(0)
  const list = usePages(
    (cursor, signal) =>
      call(
        "members",
        "list",
        { path: { org_id: org }, urlParams: { limit: 50, lastEvaluatedKey: cursor } },
        { signal }
      ),
    [org]
  )
  return (
    <Page
      title={title}
      lead={lead}
      actions={hasAccess("members") ? <Invite org={org} onDone={() => setTurn(turn + 1)} /> : undefined}
    >
      <PagedList list={list} empty={<EmptyState icon="members" title="No members" />}>
        {(items) => (
          <Table
            caption="Members"
            rows={items}
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
              { name: "Joined", align: "end", wide: true, show: ({ created_at }) => <Time at={created_at} /> },
              {
                name: "Actions",
                quiet: true,
                align: "end",
                show: (member) =>
                  hasAccess("members") && (
                    <div class="actions">
                      <ChangeMember member={member} onDone={list.reload} />
                      <Remove member={member} onDone={list.reload} />
                    </div>
                  )
              }
            ]}
          />
        )}
      </PagedList>
      {hasAccess("members") && <Invitations org={org} turn={turn} />}
    </Page>
  )
}

export const MembersPage = () => (
  <OneOrgPage title={title} lead={lead}>
    {(org) => <MembersOfOrg org={org} />}
  </OneOrgPage>
)
