import type { Answer } from "../../api/Api.ts"

export type Link = Answer<"paymentLinks", "list">["data"][number]
