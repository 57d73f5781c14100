/** `corridor users join`, `users role` and `users leave` */
import { Effect, Option } from "effect"
import type { Role } from "../../domain/Roles.ts"
import { Members } from "../../people/members/Members.ts"
import { refuse } from "../shared/CommandInput.ts"
import { findOrganization, findUser } from "../shared/LookUp.ts"
import { permitFor } from "../shared/LocalDatabase.ts"
import { onRecords } from "../shared/OnRecords.ts"
import { printable } from "../shared/Table.ts"

interface Place {
  readonly user: string
  readonly org: string
  readonly json: boolean
}

const named = Effect.fn("Cli.namedMember")(function* (name: string, org: string) {
  const { email, user_id } = yield* findUser(name)
  const { name: organizationName, org_id } = yield* findOrganization(org)
  return { email, user_id, org: Option.some(org_id), organizationName: printable(organizationName) }
})

const noMember = (email: string) => refuse(`--user: ${email} is not a member of this organisation.`)

const joinOne = Effect.fn("Cli.joinUser")(function* (name: string, orgId: string, role: Role) {
  const members = yield* Members
  const { email, org, organizationName, user_id } = yield* named(name, orgId)
  const data = yield* members
    .add(yield* permitFor("platform", org), user_id, role)
    .pipe(
      Effect.catchTag("Conflict", () =>
        refuse(`--user: ${email} is a member of this organisation already; "corridor users role" changes their role.`)
      )
    )
  return { data, text: `${email} is now ${role} of ${organizationName}.` }
})

export const join = (input: Place & { readonly role: Role }) =>
  onRecords(input.json, joinOne(input.user, input.org, input.role))

const changeOne = Effect.fn("Cli.changeRole")(function* (name: string, orgId: string, role: Role) {
  const members = yield* Members
  const { email, org, organizationName, user_id } = yield* named(name, orgId)
  const data = yield* members
    .changeRole(yield* permitFor("members", org), user_id, role)
    .pipe(Effect.catchTag("NotFound", () => noMember(email)))
  return { data, text: `${email} is now ${role} of ${organizationName}.` }
})

export const role = (input: Place & { readonly role: Role }) =>
  onRecords(input.json, changeOne(input.user, input.org, input.role))

const leaveOne = Effect.fn("Cli.removeMember")(function* (name: string, orgId: string) {
  const members = yield* Members
  const { email, org, organizationName, user_id } = yield* named(name, orgId)
  yield* members
    .remove(yield* permitFor("members", org), user_id)
    .pipe(Effect.catchTag("NotFound", () => noMember(email)))
  return {
    data: { user_id, org_id: Option.getOrNull(org), removed: true },
    text: `${email} is no member of ${organizationName} any more; their API keys there are revoked.`
  }
})

export const leave = (input: Place) => onRecords(input.json, leaveOne(input.user, input.org))
