/** People paste the invitation's code, or the whole line of the message that has it. */
export const invitationIn = (text: string): string => /invitations?\/([^/\s?#]+)/.exec(text)?.[1] ?? text.trim()
