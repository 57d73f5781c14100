/** The roles of an organisation's people, and the permissions that can be granted beyond them. It needs nothing else, so that the browser can know it too. */
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
  "escrow",
  "reports"
] as const
export type Permission = (typeof permissions)[number]

/** The role that holds a permission by itself; below it only those hold it who were granted it. */
export const permissionRoles: Readonly<Record<Permission, Role>> = {
  payouts: "staff",
  payment_links: "staff",
  transactions: "staff",
  refunds: "staff",
  reviews: "staff",
  accounts: "staff",
  verification: "staff",
  webhooks: "org-admin",
  api_keys: "org-admin",
  members: "org-admin",
  escrow: "org-admin",
  reports: "staff"
}

export const roleAtLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed)

/** Whether a person may use a permission, by role or by grant. */
export const holds = (role: Role | "admin", granted: Iterable<Permission>, permission: Permission): boolean =>
  role === "admin" || roleAtLeast(role, permissionRoles[permission]) || new Set(granted).has(permission)

export const lowerRole = (a: Role, b: Role): Role => (roleAtLeast(a, b) ? b : a)
