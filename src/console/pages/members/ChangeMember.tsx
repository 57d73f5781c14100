import { holds, permissions, roles } from "../../../domain/Roles.ts"
import { call } from "../../api/Api.ts"
import { Field } from "../../parts/Field.tsx"
import { Task } from "../../parts/Task.tsx"
import { nameOf } from "../../state/Words.ts"
import type { Member } from "./Member.ts"

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
  <Task
    name="Change"
    label={`Change ${member.email}`}
    title={`What ${member.email} may do`}
    says="Holds from their next request on. What the role gives by itself cannot be taken away one by one."
    submit="Save"
    done="Member changed"
    onDone={onDone}
    act={(values, key) => save(member, values, key)}
  >
    <Field name="role" label="Role" options={roles.map((role) => [role, nameOf(role)])} value={member.role} />
    <fieldset class="checks">
      <legend>Permissions beyond the role</legend>
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
            {nameOf(permission)}
            {byRole && " (by role)"}
          </label>
        )
      })}
    </fieldset>
  </Task>
)
