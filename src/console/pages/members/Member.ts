import type { Answer } from "../../api/Api.ts"

export type Member = Answer<"members", "list">["data"][number]
