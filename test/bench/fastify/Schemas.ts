/** JSON Schemas, compiled once by Ajv and fast-json-stringify. */
const text = (longest: number) => ({ type: "string", minLength: 1, maxLength: longest })
const amount = { type: "number", exclusiveMinimum: 0 }
const currency = { type: "string", pattern: "^[A-Z]{3}$" }
const nullable = { type: ["string", "null"] }
const id = { type: "string" }
const object = { type: "object", additionalProperties: true }

/** The measured kind of payment only. */
export const initiationBody = {
  type: "object",
  required: [
    "amount",
    "target_amount",
    "currency",
    "target_currency",
    "payment_method",
    "direction",
    "country",
    "payer_details",
    "mobile_money_details"
  ],
  properties: {
    amount,
    target_amount: amount,
    currency,
    target_currency: currency,
    payment_method: { const: "mobile_money" },
    direction: { const: "payin" },
    country: { type: "string", pattern: "^[A-Z]{2}$" },
    client_reference: text(255),
    description: text(1000),
    return_url: text(2000),
    payer_details: {
      type: "object",
      required: ["name", "email", "phone"],
      properties: { name: text(200), email: { type: "string", format: "email", maxLength: 320 }, phone: text(40) }
    },
    mobile_money_details: {
      type: "object",
      required: ["provider", "phone_number"],
      properties: { provider: text(60), phone_number: { type: "string", pattern: "^\\+?[\\d ()-]{6,24}$" } }
    },
    metadata: object
  }
}

export interface InitiationBody {
  readonly amount: number
  readonly target_amount: number
  readonly currency: string
  readonly target_currency: string
  readonly country: string
  readonly client_reference?: string
  readonly description?: string
  readonly return_url?: string
  readonly payer_details: { readonly name: string; readonly email: string; readonly phone: string }
  readonly mobile_money_details: { readonly provider: string; readonly phone_number: string }
  readonly metadata?: Readonly<Record<string, unknown>>
}

export const initiationAnswer = {
  type: "object",
  properties: {
    statusCode: { type: "integer" },
    response: {
      type: "object",
      properties: {
        success: { type: "boolean" },
        payment_id: id,
        transaction_id: id,
        status: { type: "string" },
        next_action: { type: "string" },
        redirect_url: nullable,
        provider: nullable,
        message: nullable,
        payment_data: {
          type: "object",
          properties: {
            amount: { type: "number" },
            currency: { type: "string" },
            target_amount: { type: "number" },
            target_currency: { type: "string" },
            metadata: object
          }
        }
      }
    }
  }
}

export const transactionParams = {
  type: "object",
  required: ["transaction_id"],
  properties: { transaction_id: { type: "string", pattern: "^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$" } }
}

export const recordAnswer = {
  type: "object",
  properties: {
    payment_id: id,
    amount: { type: "number" },
    currency: { type: "string" },
    user_id: id,
    status: { type: "string" },
    direction: { type: "string" },
    payment_method: { type: "string" },
    org_id: nullable,
    beneficiary_id: nullable,
    transaction_id: nullable,
    target_amount: { type: ["number", "null"] },
    target_currency: nullable,
    from_currency: nullable,
    region_id: nullable,
    payment_path_method: nullable,
    bank_account: object,
    card_details: object,
    mobile_money_details: object,
    payer_details: object,
    recipient_info: object,
    metadata: object,
    user_metadata: object,
    virtual_account_id: nullable,
    webhook_metadata: object,
    fee_ids: { type: "array", items: { type: "string" } },
    total_fees: { type: ["number", "null"] },
    provider: nullable,
    provider_payment_id: nullable,
    provider_status: nullable,
    provider_data: object,
    payout_initiated: { type: "boolean" },
    payout_id: nullable,
    instructions: nullable,
    comments: nullable,
    failure: { type: "null" },
    refunds: { type: "array", items: object },
    refunded_amount: { type: "number" },
    client_reference: nullable,
    description: nullable,
    country: { type: "string" },
    created_at: { type: "string" },
    updated_at: { type: "string" }
  }
}

/** Filters and later pages are refused. */
export const listQuery = {
  type: "object",
  additionalProperties: false,
  properties: { limit: { type: "string", pattern: "^([1-9]\\d?|100)$", default: "10" } }
}

export const listAnswer = {
  type: "object",
  properties: {
    status: { type: "string" },
    message: { type: "string" },
    data: { type: "array", items: recordAnswer },
    meta: {
      type: "object",
      properties: { count: { type: "integer" }, has_more: { type: "boolean" }, last_evaluated_key: nullable }
    },
    last_evaluated_key: nullable
  }
}

export const rateQuery = {
  type: "object",
  required: ["fromCurrency", "toCurrency"],
  additionalProperties: false,
  properties: {
    fromCurrency: currency,
    toCurrency: currency,
    amount: { type: "string", pattern: "^\\d+(\\.\\d+)?$", maxLength: 16 }
  }
}

export interface RateQuery {
  readonly fromCurrency: string
  readonly toCurrency: string
  readonly amount?: string
}

export const rateAnswer = {
  type: "object",
  properties: {
    status: { type: "string" },
    message: { type: "string" },
    data: {
      type: "object",
      properties: {
        org_rate_id: id,
        from_currency: { type: "string" },
        to_currency: { type: "string" },
        rate: { type: "number" },
        amount: { type: ["number", "null"] },
        target_amount: { type: ["number", "null"] },
        expires_at: { type: "string" },
        created_at: { type: "string" }
      }
    }
  }
}
