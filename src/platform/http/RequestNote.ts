/** What becomes known of a request on its way: for its line in the log, and for its span. */
import { Option } from "effect"
import type { Caller } from "../../domain/Access.ts"
import type { OrgId } from "../../domain/Identifiers.ts"

/** Written to by whoever finds it out; made once for each request, which costs less than handing it through. */
export interface RequestNote {
  caller: Caller | undefined
  /** The organisation that the request is about, where its caller's own does not say it. */
  org: Option.Option<OrgId>
  paymentId: string | undefined
  /** Why it was refused. */
  code: string | undefined
}

export const newNote = (): RequestNote => ({
  caller: undefined,
  org: Option.none(),
  paymentId: undefined,
  code: undefined
})

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const idIn = (value: unknown): string | undefined => {
  if (typeof value !== "object" || value === null || !("payment_id" in value)) return undefined
  return typeof value.payment_id === "string" ? value.payment_id : undefined
}

/** Whatever a caller wrote in the path is not an id yet. */
export const noteParams = (note: RequestNote, params: Readonly<Record<string, string | undefined>>): void => {
  const named = params["payment_id"]
  if (named !== undefined && UUID.test(named)) note.paymentId = named
}

/** An answer that is a payment, or has one, says which. */
export const noteAnswer = (note: RequestNote, body: unknown): void => {
  if (note.paymentId !== undefined || typeof body !== "object" || body === null) return
  note.paymentId = idIn(body) ?? ("response" in body ? idIn(body.response) : undefined)
}

/** The fields of its line: those that are known. */
export const notedFields = ({ caller, code, org, paymentId }: RequestNote): Record<string, unknown> => {
  const fields: Record<string, unknown> = {}
  const own = caller === undefined ? Option.none() : Option.map(caller.organization, ({ orgId }) => orgId)
  const about = Option.orElse(org, () => own)
  if (Option.isSome(about)) fields["org_id"] = about.value
  if (caller !== undefined) {
    if (Option.isSome(caller.apiKeyId)) fields["api_key_id"] = caller.apiKeyId.value
    else if (Option.isSome(caller.userId)) fields["user_id"] = caller.userId.value
  }
  if (paymentId !== undefined) fields["payment_id"] = paymentId
  if (code !== undefined) fields["code"] = code
  return fields
}
