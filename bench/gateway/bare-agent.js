// An agent that keeps everything in memory, and loses it with the process: chats over HTTP as the gateway offers them, the
// conversation sent whole to the model, its answer passed on. No log, no tools, no consent, no limits. Prints its address.
import { Agent, createServer, request } from 'node:http';
const agent = new Agent({ keepAlive: true });
const chats = new Map();

const chatAt = (name) => {
  if (!chats.has(name)) chats.set(name, { messages: [], followers: new Set(), lane: Promise.resolve(), items: 0 });
  return chats.get(name);
};
const tell = (chat, event, data) => {
  for (const follower of chat.followers) follower.write('event: ' + event + '\ndata: ' + JSON.stringify(data) + '\n\n');
};
const tellItem = (chat, type, text) => tell(chat, 'item', { id: String((chat.items += 1)), type, text });

const askModel = (messages) =>
  new Promise((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { 'content-type': 'application/json' } };
    const asking = request(process.env.MODEL_URL + '/chat/completions', options, (answer) => {
      let text = '';
      let rest = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop();
        for (const line of lines) {
          if (line.startsWith('data: {')) text += JSON.parse(line.slice(6)).choices[0]?.delta.content ?? '';
        }
      });
      answer.on('end', () => resolve(text));
    });
    asking.on('error', reject);
    asking.end(JSON.stringify({ model: 'scripted', stream: true, messages }));
  });

const runTurn = async (chat, text) => {
  chat.messages.push({ role: 'user', content: text });
  tellItem(chat, 'user', text);
  const answer = await askModel(chat.messages);
  chat.messages.push({ role: 'assistant', content: answer });
  tellItem(chat, 'reply', answer);
};

const server = createServer((asked, response) => {
  const [, , , name, what] = asked.url.split('/');
  const chat = chatAt(name);
  if (what === 'events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    chat.followers.add(response);
    asked.on('close', () => chat.followers.delete(response));
    response.write('event: standing\ndata: {}\n\n');
    return;
  }
  let body = '';
  asked.setEncoding('utf8');
  asked.on('data', (chunk) => (body += chunk));
  asked.on('end', () => {
    const { text } = JSON.parse(body);
    chat.lane = chat.lane.then(() => runTurn(chat, text));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"outcome":"admitted"}');
  });
});
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));
