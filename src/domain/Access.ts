/**
 * Access by role and permission. Every operation names one `Access`; the table has the role it needs and the granted
 * permission that opens it to a lower role. A `Permit` proves that access was checked, and services take one. Only
 * `authorize`, `makerPermit`, `initiatorPermit` and `operatorPermit` make permits, so code without authorization does
 * not compile.
 */
import { Data, Either, Option, Schema } from "effect"
import { type KeyId, OrgId, type UserId, idOrNil, nilUuid } from "./Ids.ts"
import { Forbidden, Invalid } from "./Failure.ts"
import { type Permission, permissions, type Role, roleAtLeast, roles } from "./Roles.ts"

export {
  holds,
  lowerRole,
  type Permission,
  permissionRoles,
  permissions,
  type Role,
  roleAtLeast,
  roles
} from "./Roles.ts"

/** `stranger` is anyone whom a valid token names, a member or not. */
interface Requirement {
  readonly role: Role | "admin" | "stranger"
  readonly permission?: Permission
  /** Opens it to those it was granted to; a role that includes this permission is not enough. */
  readonly alsoBy?: Permission
  readonly feature?: string
}

export const accessTable = {
  any: { role: "member" },
  payouts: { role: "staff", permission: "payouts" },
  payment_links: { role: "staff", permission: "payment_links" },
  transactions: { role: "staff", permission: "transactions", alsoBy: "reports" },
  /** Changes what the organisation shares, which `reports` does not. */
  saved_views: { role: "staff", permission: "transactions" },
  refunds: { role: "staff", permission: "refunds" },
  reviews: { role: "staff", permission: "reviews" },
  accounts: { role: "staff", permission: "accounts" },
  reports: { role: "staff", permission: "reports" },
  operations: { role: "staff" },
  verification: { role: "staff", permission: "verification" },
  api_keys: { role: "org-admin", permission: "api_keys" },
  escrow: { role: "org-admin", permission: "escrow", feature: "escrow" },
  webhooks: { role: "org-admin", permission: "webhooks" },
  webhook_log: { role: "staff", permission: "webhooks" },
  member_list: { role: "staff", permission: "members" },
  members: { role: "org-admin", permission: "members" },
  organization: { role: "org-admin" },
  audit: { role: "org-admin" },
  trends: { role: "admin", alsoBy: "reports" },
  person: { role: "stranger" },
  platform: { role: "admin" }
} as const satisfies Record<string, Requirement>

export type Access = keyof typeof accessTable

const permissionsOf = ({ alsoBy, permission }: Requirement): ReadonlyArray<Permission> =>
  [permission, alsoBy].filter((one) => one !== undefined)

/** Whom a token names, in the words of the identity provider. */
export interface Identity {
  readonly subject: string
  /** Verified e-mail address; none when the token has none or does not say that it is verified. */
  readonly email: Option.Option<string>
}

/** The person (or the key made by a person) behind a request, as the database knows them at this moment. */
export interface Caller {
  /** Of the user; of one whom the database does not know, the subject of their token. */
  readonly id: string
  readonly userId: Option.Option<UserId>
  readonly apiKeyId: Option.Option<KeyId>
  readonly organization: Option.Option<{
    readonly orgId: OrgId
    readonly role: Role
    readonly features: ReadonlySet<string>
    readonly permissions: ReadonlySet<Permission>
    /** Version of the payment configuration; none where versions are not tracked. */
    readonly terms?: string | null
  }>
  readonly admin: boolean
  /** By which people know them: the e-mail address of a person, the name of a key. */
  readonly name?: string
  /** Only a token has one. */
  readonly identity?: Identity
}

interface Actor {
  readonly kind: "user" | "api_key" | "operator"
  readonly id: string
  readonly userId: Option.Option<UserId>
  readonly name?: string
  /** Of a caller who need not be a user yet. */
  readonly identity?: Identity
}

/** `scope` is the organisation that every query is held to; none (a platform admin who named no organisation) is all. */
export class Permit<A extends Access> extends Data.Class<{
  readonly access: A
  readonly scope: Option.Option<OrgId>
  readonly actor: Actor
  readonly role: Role | "admin"
  /** The version of the organisation's terms when the caller was let in, where one is known. */
  readonly terms?: string | null
}> {
  declare private readonly proof: A
}

/** The organisation of the permit; a platform admin has to name one. */
export const organizationOf = (
  { scope }: Permit<Access>,
  message = "org_id: is required."
): Either.Either<OrgId, Invalid> => Either.fromOption(scope, () => new Invalid({ message }))

const actorOf = ({ apiKeyId, id, name, userId }: Caller): Actor => {
  const who = { userId, ...(name === undefined ? {} : { name }) }
  return Option.match(apiKeyId, {
    onNone: () => ({ kind: "user", id, ...who }),
    onSome: (key) => ({ kind: "api_key", id: key, ...who })
  })
}

/** Holds a permit to no organisation at all, where `none` would be every one. */
const nowhere = Option.some(idOrNil(OrgId)(nilUuid))

/** Permit for a person's own data. Memberships do not count here. */
const personPermit = <A extends Access>(caller: Caller, access: A): Either.Either<Permit<A>, Forbidden> => {
  const { identity } = caller
  if (identity === undefined) {
    return Either.left(new Forbidden({ message: "This needs the token of a person; an API key is refused." }))
  }
  const actor: Actor = { kind: "user", id: caller.id, userId: Option.none(), identity }
  return Either.right(new Permit({ access, scope: nowhere, actor, role: "member" }))
}

/** `selector` is the organisation that the request names outright, in its path, query or body. */
export const authorize = <A extends Access>(
  caller: Caller,
  access: A,
  selector: Option.Option<OrgId>
): Either.Either<Permit<A>, Forbidden> => {
  const requirement: Requirement = accessTable[access]
  if (requirement.role === "stranger") return personPermit(caller, access)
  const actor = actorOf(caller)
  if (caller.admin) {
    const scope = Option.orElse(selector, () => Option.map(caller.organization, (o) => o.orgId))
    return Either.right(new Permit({ access, scope, actor, role: "admin" }))
  }
  if (Option.isNone(caller.organization)) {
    return Either.left(new Forbidden({ message: "This user is not a member of the organisation in the token." }))
  }
  const { features, orgId, permissions: granted, role, terms = null } = caller.organization.value
  if (Option.isSome(selector) && selector.value !== orgId) {
    return Either.left(new Forbidden({ message: "This credential belongs to another organisation." }))
  }
  const openedBy = permissionsOf(requirement)
  const opened = openedBy.some((permission) => granted.has(permission))
  if (requirement.role === "admin" && !opened) {
    return Either.left(new Forbidden({ message: "Only a platform admin may do this." }))
  }
  if (requirement.feature !== undefined && !features.has(requirement.feature)) {
    return Either.left(
      new Forbidden({
        message: `The feature "${requirement.feature}" is not switched on for this organisation. The operator of the service runs "corridor orgs set ${orgId} --feature ${requirement.feature}".`
      })
    )
  }
  if (requirement.role !== "admin" && !roleAtLeast(role, requirement.role) && !opened) {
    const grant = openedBy.map((permission) => ` or the permission "${permission}"`).join("")
    return Either.left(new Forbidden({ message: `This needs the role ${requirement.role}${grant}.` }))
  }
  return Either.right(new Permit({ access, scope: Option.some(orgId), actor, role, terms }))
}

/** One name for one person, with every credential of theirs. */
export const personOf = ({ actor }: Permit<Access>): string =>
  Option.getOrElse(actor.userId, () => `${actor.kind} ${actor.id}`)

/**
 * The actor as the organisation's people know them: an e-mail address, or the name of a key. Platform admins are named
 * by id, since their addresses are not the organisation's to see.
 */
export const actorText = ({ actor: { id, kind, name = id }, role }: Permit<Access>): string => {
  if (kind === "operator") return id
  if (role === "admin") return `platform admin ${id}`
  return kind === "api_key" ? `API key ${name}` : name
}

/** Permit of the creator of a payment link, for what payers do with the link. */
export const makerPermit = <A extends Access>(access: A, orgId: OrgId, userId: UserId): Permit<A> =>
  new Permit({
    access,
    scope: Option.some(orgId),
    actor: { kind: "user", id: userId, userId: Option.some(userId) },
    role: "member"
  })

/** Carries on, in a worker, what an authorized caller started: the record of the start names the caller. */
export const initiatorPermit = <A extends Access>(
  access: A,
  orgId: OrgId,
  { actor, role }: Pick<Permit<A>, "actor" | "role">
): Permit<A> => new Permit({ access, scope: Option.some(orgId), actor, role })

/** The person at the command line of the machine itself. */
export const operatorPermit = <A extends Access>(
  access: A,
  operator: string,
  scope: Option.Option<OrgId> = Option.none()
): Permit<A> =>
  new Permit({
    access,
    scope,
    actor: { kind: "operator", id: operator, name: operator, userId: Option.none() },
    role: "admin"
  })

/** The sentence about it in the API reference. */
export const describeAccess = (access: Access): string => {
  const requirement: Requirement = accessTable[access]
  const feature = requirement.feature === undefined ? "" : ` and the feature \`${requirement.feature}\``
  const names = permissionsOf(requirement).map((permission) => `\`${permission}\``)
  const grant = names.length === 0 ? "" : ` (or the granted permission ${names.join(" or ")})`
  switch (requirement.role) {
    case "member":
      return `Who may call it: any valid credential${feature}.`
    case "admin":
      return names.length === 0
        ? "Who may call it: platform admins only."
        : `Who may call it: platform admins; for their own organisation also members with the granted permission ${names.join(" or ")}.`
    case "stranger":
      return "Who may call it: anyone with a valid token of their own, a member or not; API keys may not."
    default:
      return `Who may call it: \`${requirement.role}\`${requirement.role === "staff" ? " and above" : ""}${grant}${feature}.`
  }
}

/** Roles and permissions as people write them; a refusal names those there are. */
export const RoleName = Schema.Literal(...roles).annotations({
  identifier: "Role",
  message: () => ({ message: "is not a role: use org-admin, staff or member", override: true })
})

export const PermissionName = Schema.Literal(...permissions).annotations({
  identifier: "Permission",
  message: () => ({ message: `is not a permission: use one of ${permissions.join(", ")}`, override: true })
})
