/** Organisations as people read them, whichever way they came. */
import { type TextLayout, tableLayout, minute, properties } from "../shared/Table.ts"

interface Org {
  readonly org_id: string
  readonly name: string
  readonly country: string
  readonly currency: string
  readonly email: string
  readonly features: ReadonlyArray<string>
  readonly kyb_status: string
  /** Only platform admins and operators see it. */
  readonly spread_bps?: number
  readonly created_at: Date | string
}

export const aboutOrg = (org: Org, threshold: string | null): string =>
  properties([
    ["Id", org.org_id],
    ["Name", org.name],
    ["Country", org.country],
    ["Currency", org.currency],
    ["E-mail", org.email],
    ["Features", org.features.join(", ") || null],
    ["KYB", org.kyb_status],
    ["Review from", threshold],
    ["Spread (bps)", org.spread_bps === undefined ? null : String(org.spread_bps)]
  ])

export const createdOrg = (org: Org, threshold: string | null): string =>
  `Organisation created.\n${aboutOrg(org, threshold)}\nNext: corridor users create --email ADDRESS --org ${org.org_id} --role org-admin`

export const orgTable = (orgs: ReadonlyArray<Org>): TextLayout =>
  tableLayout(
    ["ID", "NAME", "COUNTRY", "CURRENCY", "FEATURES", "CREATED"],
    orgs.map((org) => [
      org.org_id,
      org.name,
      org.country,
      org.currency,
      org.features.join(", ") || null,
      minute(org.created_at)
    ]),
    'No organisations yet: "corridor orgs create" makes one.',
    ["COUNTRY", "CURRENCY", "CREATED", "FEATURES"]
  )
