/** Declares endpoints by method and path. The names in a path say what its parameters are. */
import { HttpApiEndpoint, type HttpMethod } from "@effect/platform"
import { Schema } from "effect"
import { PermissionName } from "../../domain/Access.ts"
import {
  AccountId,
  BeneficiaryId,
  ConfigId,
  EscrowId,
  KeyId,
  LinkId,
  PaymentId,
  TransactionId,
  UserId,
  ViewId,
  WebhookId
} from "../../domain/Ids.ts"
import { IdParam, idParam } from "./Envelope.ts"
import { matching } from "./RequestFields.ts"

const NAME = "^[a-z0-9][a-z0-9-]{0,62}$"

export const RuleName = Schema.String.pipe(
  Schema.pattern(new RegExp(NAME), {
    message: () => "is not a name of lower-case letters, digits and dashes, at most 63"
  })
).annotations({ jsonSchema: { type: "string", pattern: NAME, examples: ["five-a-day"] } })

/** A name means the same in every path. Others are declared by `setPath`. */
const pathParams = {
  account_id: idParam(AccountId),
  api_key_id: idParam(KeyId),
  beneficiary_id: idParam(BeneficiaryId),
  config_id: idParam(ConfigId),
  delivery_id: IdParam,
  entry_id: IdParam,
  escrow_id: idParam(EscrowId),
  invitation_id: IdParam,
  kyb_customer_id: matching(/^[\w.-]{1,255}$/, "is not the id of an application", "Id of the application"),
  link_id: idParam(LinkId),
  milestone_id: IdParam,
  /** Another organisation than the credential's own is 403, except for platform admins. */
  org_id: Schema.String,
  party_id: IdParam,
  payment_id: idParam(PaymentId),
  payout_id: IdParam,
  permission: PermissionName,
  platform_entry_id: IdParam,
  provider: Schema.String,
  request_id: IdParam,
  rule_name: RuleName,
  token: Schema.String,
  transaction_id: idParam(TransactionId),
  transfer_id: IdParam,
  user_id: idParam(UserId),
  view_id: idParam(ViewId),
  webhook_id: idParam(WebhookId)
}

type Known = typeof pathParams

type NamesIn<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | NamesIn<`/${More}`>
    : Rest
  : never

type PathOf<Name extends string> = [Name] extends [never]
  ? never
  : { readonly [Key in Name & keyof Known]: Schema.Schema.Type<Known[Key]> }

/** Does not compile for a path with a name that is not known. */
type IfKnown<Path extends string> = [NamesIn<Path>] extends [keyof Known] ? Path : never

const schemaOf = (path: string) =>
  Schema.Struct(
    Object.fromEntries(
      Array.from(path.matchAll(/:([a-z_]+)/g), ([, name]) => [name!, pathParams[name as keyof Known] as typeof IdParam])
    )
  )

type QueryOf<Fields extends Schema.Struct.Fields> = [Fields] extends [never]
  ? never
  : Schema.Schema.Type<Schema.Struct<Fields>>

/** `query`: parameters of the query. */
const endpoint =
  <Method extends HttpMethod.HttpMethod>(method: Method) =>
  <const Name extends string, const Path extends `/${string}`, Query extends Schema.Struct.Fields = never>(
    name: Name,
    path: Path & IfKnown<Path>,
    query?: Query
  ) => {
    const made = HttpApiEndpoint.make(method)(name, path)
    const withPath = path.includes(":") ? made.setPath(schemaOf(path)) : made
    const declared: unknown = query === undefined ? withPath : withPath.setUrlParams(Schema.Struct(query) as never)
    return declared as HttpApiEndpoint.HttpApiEndpoint<Name, Method, PathOf<NamesIn<Path>>, QueryOf<Query>>
  }

export const get = endpoint("GET")
export const post = endpoint("POST")
export const put = endpoint("PUT")
export const patch = endpoint("PATCH")
export const del = endpoint("DELETE")
