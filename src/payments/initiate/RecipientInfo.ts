import type { Beneficiary } from "../beneficiaries/Beneficiary.ts"
import type { JsonObject } from "../store/Payment.ts"

/** The beneficiary as it is at initiation, for the record. */
export const recipientInfo = ({
  created_at: _created,
  org_id: _org,
  updated_at: _updated,
  ...rest
}: Beneficiary): JsonObject => rest
