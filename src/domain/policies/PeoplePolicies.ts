/** Lifetimes and limits of credentials, invitations and messages to people. */
import { Duration } from "effect"

/** Tokens of the development issuer are valid this long; every start issues fresh ones. */
export const developmentTokenTtl = Duration.hours(12)

/** In live mode a secret setting has at least so many characters. */
export const shortestLiveSecret = 16

/** The clock of the KYB provider may be ahead of ours by this much. */
export const kybClockSkew = Duration.minutes(5)

/** Requests to the KYB provider that an instance sends at a time. */
export const kybRequestBatch = 10

/** Failed authentications that one address may make in a minute, counted apart for each key prefix that it presents. */
export const failedAuthenticationsPerMinute = 120

/** Factor on that limit for all prefixes of one address together. */
export const prefixesWorthOfAddress = 10

/** Factor on the requests of one credential for all credentials of an organisation together. */
export const credentialsWorthOfOrganization = 10

/** A message in the sandbox's outbox is kept this long. */
export const notificationRetention = Duration.days(30)

/** The identity provider's keys are kept this long; an unknown key id fetches them again, but not within the cool-down. */
export const jwksMaxAge = Duration.minutes(10)
export const jwksCoolDown = Duration.seconds(30)

/** Fetching the identity provider's keys may take this long. */
export const jwksFetchTimeout = Duration.seconds(5)

/** Messages to people are counted by the hour. */
export const messageWindow = Duration.hours(1)

/** An organisation sends as many in one. */
export const messagesOfOrganization = 300

/** Receipts in that time that an organisation's payers ask for. */
export const receiptsOfOrganization = 3000

/** Messages to one recipient in that time, from all senders. */
export const messagesToRecipient = 60

/** Messages to one recipient from one organisation, so that none uses up what others may send. */
export const messagesToRecipientOfOne = 20

/** A mail server that has not taken a message after this long has refused it. */
export const mailTimeout = Duration.seconds(10)

/** An invitation into an organisation can be accepted this long. */
export const invitationTtl = Duration.days(7)
