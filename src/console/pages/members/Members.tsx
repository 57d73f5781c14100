import { useState } from "preact/hooks"
import { roles } from "../../../domain/Roles.ts"
import { call } from "../../api/Api.ts"
import { Empty } from "../../parts/Empty.tsx"
import { Field } from "../../parts/Field.tsx"
import { Listing } from "../../parts/Listing.tsx"
import { NeedsOrg } from "../../parts/NeedsOrg.tsx"
import { Page } from "../../parts/Page.tsx"
import { Table } from "../../parts/Table.tsx"
import { Task } from "../../parts/Task.tsx"
import { Time } from "../../parts/Time.tsx"
import { usePages } from "../../state/Pages.ts"
import { may, orgId, session } from "../../state/Session.ts"
import { nameOf } from "../../state/Words.ts"
import { Invitations } from "./Invitations.tsx"
import { ChangeMember } from "./ChangeMember.tsx"
import type { Member } from "./Member.ts"

const Invite = ({ onDone, org }: { readonly org: string; readonly onDone: () => void }) => (
  <Task
    name="Invite"
    icon="plus"
    kind="primary"
    title="Invite somebody"
    says="They get an e-mail with a link that works once, for seven days and for that address alone."
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
    <Field name="role" label="Role" options={roles.map((role) => [role, nameOf(role)])} />
  </Task>
)

const Remove = ({ member, onDone }: { readonly member: Member; readonly onDone: () => void }) => (
  <Task
    name="Remove"
    label={`Remove ${member.email}`}
    title="Remove a member"
    kind="danger"
    says={`${member.email} loses access at once. Their API keys are revoked and their open invitations withdrawn.`}
    submit="Remove the member"
    done="Member removed"
    onDone={onDone}
    act={(_, key) => call("members", "remove", { path: { org_id: member.org_id, user_id: member.user_id } }, { key })}
  />
)

const title = "Members"
const lead = "A role opens pages and actions; a permission opens one more to a person."

const People = ({ org }: { readonly org: string }) => {
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
      actions={may("members") ? <Invite org={org} onDone={() => setTurn(turn + 1)} /> : undefined}
    >
      <Listing list={list} empty={<Empty icon="members" title="Nobody is here yet" />}>
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
              { name: "Role", show: ({ role }) => nameOf(role) },
              {
                name: "Also may",
                wide: true,
                show: ({ permissions }) => permissions.map(nameOf).join(", ") || <span class="muted">–</span>
              },
              { name: "Joined", align: "end", wide: true, show: ({ created_at }) => <Time at={created_at} /> },
              {
                name: "Actions",
                quiet: true,
                align: "end",
                show: (member) =>
                  may("members") && (
                    <div class="actions">
                      <ChangeMember member={member} onDone={list.reload} />
                      <Remove member={member} onDone={list.reload} />
                    </div>
                  )
              }
            ]}
          />
        )}
      </Listing>
      {may("members") && <Invitations org={org} turn={turn} />}
    </Page>
  )
}

export const Members = () =>
  orgId.value === undefined ? (
    <Page title={title} lead={lead}>
      <NeedsOrg />
    </Page>
  ) : (
    <People org={orgId.value} />
  )
