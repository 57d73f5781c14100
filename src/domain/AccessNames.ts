/** Roles and permissions as people write them; a refusal names those there are. */
import { Schema } from "effect"
import { permissions, roles } from "./Access.ts"

export const RoleName = Schema.Literal(...roles).annotations({
  identifier: "Role",
  message: () => ({ message: "is not a role: use org-admin, staff or member", override: true })
})

export const PermissionName = Schema.Literal(...permissions).annotations({
  identifier: "Permission",
  message: () => ({ message: `is not a permission: use one of ${permissions.join(", ")}`, override: true })
})
