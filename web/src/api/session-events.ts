// What calls and the feed notice: 'answered', when the server has answered a call; 'forbidden', when it refused what this
// page believed to be permitted; 'doubt', when it refused the feed.
export const sessionEvents = new EventTarget()
