/** `corridor orgs` by API: platform admins make, list and set them. */
import { type BigDecimal, Effect } from "effect"
import { CreateOrganization } from "../../contract/api/Organizations.ts"
import { toWireText, WireNumber } from "../../domain/Decimal.ts"
import { decodeInput } from "../shared/CommandInput.ts"
import { type TypedChange, wantedChange } from "../shared/OrgInput.ts"
import { aboutOrg, createdOrg, orgTable } from "../shown/Orgs.ts"
import { Calls } from "./Calls.ts"
import { onApi } from "./OnApi.ts"

const thresholdOf = ({ review_threshold }: { readonly review_threshold: WireNumber | null }) =>
  review_threshold === null ? null : review_threshold.text

export const create = ({
  json,
  ...input
}: { readonly [Field in keyof typeof CreateOrganization.Encoded]-?: unknown } & { readonly json: boolean }) =>
  Effect.flatMap(decodeInput(CreateOrganization, input, { features: "--feature" }), (payload) =>
    onApi(
      json,
      Effect.gen(function* () {
        const { call } = yield* Calls
        const { data } = yield* call("organizations", "create", { payload })
        return { data, text: createdOrg(data, thresholdOf(data)) }
      })
    )
  )

const listAll = Effect.gen(function* () {
  const { all } = yield* Calls
  const data = yield* all("organizations", "list", { urlParams: {} })
  return { data, ...orgTable(data) }
})

export const list = (input: { readonly json: boolean }) => onApi(input.json, listAll)

const wire = (amount: BigDecimal.BigDecimal | null | undefined) =>
  amount === undefined ? {} : { review_threshold: amount === null ? null : new WireNumber(toWireText(amount)) }

export const set = ({ id, json, ...typed }: TypedChange & { readonly id: string; readonly json: boolean }) =>
  Effect.flatMap(wantedChange(typed), ({ review_threshold, ...change }) =>
    onApi(
      json,
      Effect.gen(function* () {
        const { call } = yield* Calls
        const payload = { ...change, ...wire(review_threshold) }
        const { data } = yield* call("organizations", "change", { path: { org_id: id }, payload })
        return { data, text: `Organisation changed.\n${aboutOrg(data, thresholdOf(data))}` }
      })
    )
  )
