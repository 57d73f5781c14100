/** Users as people read them, whichever way they came. */
import { type TextLayout, tableLayout, minute } from "../shared/Table.ts"

interface User {
  readonly user_id: string
  readonly email: string
  readonly country: string | null
  readonly created_at: Date | string
}

export const userTable = <U extends User>(
  users: ReadonlyArray<U>,
  roleOf: (user: U) => string | null,
  nothing: string
): TextLayout =>
  tableLayout(
    ["ID", "E-MAIL", "COUNTRY", "ROLE", "CREATED"],
    users.map((user) => [user.user_id, user.email, user.country, roleOf(user), minute(user.created_at)]),
    nothing,
    ["ROLE", "CREATED", "COUNTRY"]
  )
