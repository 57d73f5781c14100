import type { Answer } from "../../api/Api.ts"

export type Endpoint = Answer<"webhooks", "list">["data"][number]
