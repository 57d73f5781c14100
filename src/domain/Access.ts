/**
 * Who may do what, on one page. Every operation names one `Access`; the table says which role it needs and which
 * granted permission opens it to a lower role. A `Permit` is the proof that the question was asked: services take one,
 * and only `authorize` and `operatorPermit` make one, so that work without authorization does not compile.
 */
import { Data, Either, Option } from "effect"
import { Forbidden } from "./Failure.ts"

export const roles = ["member", "staff", "org-admin"] as const
export type Role = (typeof roles)[number]

export const permissions = [
  "payouts",
  "payment_links",
  "transactions",
  "refunds",
  "reviews",
  "accounts",
  "verification",
  "webhooks",
  "api_keys",
  "members",
  "escrow"
] as const
export type Permission = (typeof permissions)[number]

interface Requirement {
  readonly role: Role | "admin"
  readonly permission?: Permission
  readonly feature?: string
}

export const accessTable = {
  any: { role: "member" },
  payouts: { role: "staff", permission: "payouts" },
  transactions: { role: "staff", permission: "transactions" },
  refunds: { role: "staff", permission: "refunds" },
  reviews: { role: "staff", permission: "reviews" },
  operations: { role: "staff" },
  api_keys: { role: "org-admin", permission: "api_keys" },
  webhooks: { role: "org-admin", permission: "webhooks" },
  webhook_log: { role: "staff", permission: "webhooks" },
  audit: { role: "org-admin" },
  platform: { role: "admin" }
} as const satisfies Record<string, Requirement>

export type Access = keyof typeof accessTable

/** The person (or the key made by a person) behind a request, as the database knows them at this moment. */
export interface Caller {
  readonly userId: string
  readonly apiKeyId: Option.Option<string>
  readonly organization: Option.Option<{
    readonly orgId: string
    readonly role: Role
    readonly features: ReadonlySet<string>
    readonly permissions: ReadonlySet<Permission>
  }>
  readonly admin: boolean
}

export interface Actor {
  readonly kind: "user" | "api_key" | "operator"
  readonly id: string
  readonly userId: Option.Option<string>
}

/** `scope` is the organisation that every query is held to; none (a platform admin who named no organisation) is all. */
export class Permit<A extends Access> extends Data.Class<{
  readonly access: A
  readonly scope: Option.Option<string>
  readonly actor: Actor
  readonly role: Role | "admin"
}> {
  declare private readonly proof: A
}

export const roleAtLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed)

export const lowerRole = (a: Role, b: Role): Role => (roleAtLeast(a, b) ? b : a)

const actorOf = (caller: Caller): Actor =>
  Option.match(caller.apiKeyId, {
    onNone: () => ({ kind: "user", id: caller.userId, userId: Option.some(caller.userId) }),
    onSome: (id) => ({ kind: "api_key", id, userId: Option.some(caller.userId) })
  })

/** `selector` is the organisation that the request names outright, in its path, query or body. */
export const authorize = <A extends Access>(
  caller: Caller,
  access: A,
  selector: Option.Option<string>
): Either.Either<Permit<A>, Forbidden> => {
  const requirement: Requirement = accessTable[access]
  const actor = actorOf(caller)
  if (caller.admin) {
    const scope = Option.orElse(selector, () => Option.map(caller.organization, (o) => o.orgId))
    return Either.right(new Permit({ access, scope, actor, role: "admin" }))
  }
  if (Option.isNone(caller.organization)) {
    return Either.left(new Forbidden({ message: "This user is not a member of the organisation in the token." }))
  }
  const { features, orgId, permissions: granted, role } = caller.organization.value
  if (Option.isSome(selector) && selector.value !== orgId) {
    return Either.left(new Forbidden({ message: "This credential belongs to another organisation." }))
  }
  if (requirement.role === "admin") {
    return Either.left(new Forbidden({ message: "Only a platform admin may do this." }))
  }
  if (requirement.feature !== undefined && !features.has(requirement.feature)) {
    return Either.left(
      new Forbidden({ message: `The feature "${requirement.feature}" is not switched on for this organisation.` })
    )
  }
  const opened = requirement.permission !== undefined && granted.has(requirement.permission)
  if (!roleAtLeast(role, requirement.role) && !opened) {
    const grant = requirement.permission === undefined ? "" : ` or the permission "${requirement.permission}"`
    return Either.left(new Forbidden({ message: `This needs the role ${requirement.role}${grant}.` }))
  }
  return Either.right(new Permit({ access, scope: Option.some(orgId), actor, role }))
}

/** The person at the command line of the machine itself. */
export const operatorPermit = <A extends Access>(
  access: A,
  operator: string,
  scope: Option.Option<string> = Option.none()
): Permit<A> =>
  new Permit({ access, scope, actor: { kind: "operator", id: operator, userId: Option.none() }, role: "admin" })

/** The sentence about it in the API reference. */
export const describeAccess = (access: Access): string => {
  const requirement: Requirement = accessTable[access]
  const feature = requirement.feature === undefined ? "" : ` and the feature \`${requirement.feature}\``
  const grant = requirement.permission === undefined ? "" : ` (or the granted permission \`${requirement.permission}\`)`
  switch (requirement.role) {
    case "member":
      return `Who may call it: any valid credential${feature}.`
    case "admin":
      return "Who may call it: platform admins only."
    default:
      return `Who may call it: \`${requirement.role}\`${requirement.role === "staff" ? " and above" : ""}${grant}${feature}.`
  }
}
