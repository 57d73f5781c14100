import type { Answer } from "../../api/Api.ts"

export type Link = Answer<"paymentLinks", "list">["data"][number]

/** What people know it by. */
export const linkName = ({
  client_reference,
  description,
  link_ref
}: Pick<Link, "client_reference" | "description" | "link_ref">): string => description ?? client_reference ?? link_ref
