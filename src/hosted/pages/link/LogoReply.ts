/** The picture of a link: served from here, so that a payer's browser asks nobody else, and never as anything but a picture. */
import { Duration } from "effect"
import { logoType } from "../../../domain/Logo.ts"
import { logoKept } from "../../../domain/policies/Payments.ts"
import type { Outgoing } from "../../../platform/http/Outgoing.ts"

export const logoReply = (bytes: Uint8Array): Outgoing => ({
  status: 200,
  headers: {
    "cache-control": `private, max-age=${Duration.toSeconds(logoKept)}, immutable`,
    "content-security-policy": "default-src 'none'; sandbox",
    "content-type": logoType(bytes) ?? "application/octet-stream",
    "cross-origin-resource-policy": "cross-origin",
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex, nofollow"
  },
  body: Buffer.from(bytes)
})
