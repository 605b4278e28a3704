-- Drives meshplan lsp by the client of Neovim 0.7 or later. See run.
local folder, program, log = os.getenv("FOLDER"), os.getenv("MESHPLAN"), os.getenv("LOG")
local exited

local function say(text) io.stdout:write(text .. "\n") end
local function quit(text)
    say("FAILED: " .. text)
    vim.cmd("cquit 1")
end
local function check(what, got, want)
    if want == nil then want = true end
    if vim.deep_equal(got, want) then return say("ok " .. what) end
    quit(what .. "\n  expected " .. vim.inspect(want) .. "\n  got " .. vim.inspect(got))
end
local function wait(what, condition)
    if not vim.wait(20000, condition, 10) then quit("waited in vain: " .. what) end
    say("ok " .. what)
end

local id = vim.lsp.start_client({
    name = "meshplan",
    cmd = { program, "lsp", "--log-file", log },
    root_dir = folder,
    workspace_folders = { { uri = vim.uri_from_fname(folder), name = "hotel" } },
    on_exit = function(code) exited = code end,
})
local client = vim.lsp.get_client_by_id(id)

local function open(name)
    vim.cmd("edit " .. vim.fn.fnameescape(folder .. "/" .. name))
    vim.bo.filetype = "yaml"
    vim.lsp.buf_attach_client(0, id)
    return vim.api.nvim_get_current_buf()
end
local function find(buffer, phrase, word)
    for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, true)) do
        local start = line:find(phrase, 1, true)
        if start then return number - 1, line:find(word or phrase, start, true) - 1 end
    end
    quit("there is no " .. phrase)
end
local function line(buffer, number) return vim.api.nvim_buf_get_lines(buffer, number, number + 1, true)[1] end
-- Sends a request about the first octet of a word.
local function request(method, buffer, phrase, word, more)
    local number, column = find(buffer, phrase, word)
    vim.api.nvim_win_set_buf(0, buffer)
    vim.api.nvim_win_set_cursor(0, { number + 1, column })
    local params = vim.tbl_extend("force", vim.lsp.util.make_position_params(0, client.offset_encoding), more or {})
    local answer = client.request_sync(method, params, 20000, buffer)
    if not answer then quit(method .. " has no answer") end
    return answer.result, answer.err
end
local function diagnostics(buffer)
    return vim.tbl_map(function(found)
        local text = line(buffer, found.lnum):sub(found.col + 1, found.end_col)
        return text .. ": " .. found.message:match("[^\n]*")
    end, vim.diagnostic.get(buffer))
end
local function replace(buffer, phrase, old, new)
    local number, column = find(buffer, phrase, old)
    vim.api.nvim_buf_set_text(buffer, number, column, number, column + #old, { new })
end

-- Mistakes come and go with the text, and stand where they are, also behind characters of two units and four octets.
local hotel = open("hotel.yaml")
wait("the server answers", function() return client.initialized end)
replace(hotel, "description: A room with", "A room", "Ein Zimmer ä 🏨🏨")
replace(hotel, "plant-lamp-1: { profile: lamp }", "profile: lamp", "title: ä 🏨, profile: lampe")
wait("a mistake", function() return #vim.diagnostic.get(hotel) == 1 end)
check("its place", diagnostics(hotel), { "lampe: there is no profile `lampe`" })

-- A quick fix.
local found = vim.diagnostic.get(hotel)[1]
local range = {
    start = { line = found.lnum, character = 0 }, ["end"] = { line = found.lnum, character = 200 },
}
local actions = request("textDocument/codeAction", hotel, "lampe", "lampe", { range = range, context = { diagnostics = {} } })
check("what mends it", actions[1].title, "Replace `lampe` by `lamp`")
vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
wait("the mistake is gone", function() return #vim.diagnostic.get(hotel) == 0 end)

-- A mistake in another file.
local lobby = open("parts/lobby.yaml")
replace(lobby, "lobby: {", "lobby: {", "lobby: { parent: corridor,")
wait("a mistake in a file that is included", function() return #vim.diagnostic.get(lobby) == 1 end)
vim.cmd("silent undo")
wait("undone", function() return #vim.diagnostic.get(lobby) == 0 end)

-- Looking around.
local function place(answer) return vim.uri_to_fname(answer.uri):sub(#folder + 2) .. ":" .. answer.range.start.line + 1 end
check("a definition", place(request("textDocument/definition", hotel, "module: corridor", "corridor")), "hotel.yaml:65")
check("an include", place(request("textDocument/definition", hotel, "parts/lobby", "parts")), "parts/lobby.yaml:1")
check("a node in a test", place(request("textDocument/definition", hotel, "press: switch-117", "switch-117")), "hotel.yaml:55")
local hover = request("textDocument/hover", hotel, "plant-pumps", "plant-pumps")
check("a hover", hover.contents.value:find("set by profile hub", 1, true) ~= nil)
local items = request("textDocument/completion", hotel, "plant-pumps:  { profile: hub", "hub").items
check("completion", vim.tbl_map(function(item) return item.label end, items), { "lamp", "switch", "presence", "hub" })
local symbols = request("textDocument/documentSymbol", hotel, "version", "version")
check("symbols", #symbols > 10)
check("references", #request("textDocument/references", hotel, "node: plant-switch", "plant-switch", {
    context = { includeDeclaration = true },
}), 3)

-- A new name, in two files at once.
replace(lobby, "lobby: {", "lobby: {", "lobby: { parent: corridors,")
local edit, problem = request("textDocument/rename", hotel, "parent: corridors", "corridors", { newName = "hallways" })
if problem then quit(problem.message) end
vim.lsp.util.apply_workspace_edit(edit, client.offset_encoding)
check("a name in the other file", line(lobby, 1), "  lobby: { parent: hallways, title: Empfang ä 🏨 }")
check("an entry for the mesh", table.concat(vim.api.nvim_buf_get_lines(hotel, -3, -1, true), "\n"),
    "moved:\n  - { from: group.corridors, to: group.hallways }")
-- The client keeps changes back for a moment; a request about a file sends those of that file.
request("textDocument/documentSymbol", lobby, "lobby: {", "lobby")
_, problem = request("textDocument/rename", hotel, "plant-lamp-1:", "plant", { newName = "plant-lamp-2" })
check("a name that is taken", problem and problem.message:find("would be wrong", 1, true) ~= nil)

-- Random edits, after each of which both sides must have the same text. What the server formats shows its text.
math.randomseed(7)
local pieces = { "ä", "🏨", "x", " ", "  y: 1", "\n", "e\u{301}", "", "# ü 🏨🏨", "日本", "\n  n: { title: 🏨 }\n" }
local scratch = open("parts/scratch.yaml")
local start = { "# Küche 🏨", "groups:", "  kitchen: {  title: 'Küche 🏨' }" }
vim.api.nvim_buf_set_lines(scratch, 0, -1, true, start)
local same, different = 0, nil
for round = 1, 40 do
    local count = vim.api.nvim_buf_line_count(scratch)
    local number = math.random(0, count - 1)
    local text = line(scratch, number)
    local column = vim.str_byteindex(text, math.random(0, vim.fn.strchars(text)))
    local last = math.random(3) == 1 and #text or column
    vim.api.nvim_buf_set_text(scratch, number, column, number, last, vim.split(pieces[math.random(#pieces)], "\n"))
    if round % 7 == 0 then vim.cmd("silent! undo") end
    if round % 10 == 0 then vim.api.nvim_buf_set_lines(scratch, 0, -1, true, start) end
    local answer = client.request_sync("textDocument/formatting", {
        textDocument = vim.lsp.util.make_text_document_params(scratch), options = { tabSize = 2, insertSpaces = true },
    }, 20000, scratch)
    local own = table.concat(vim.api.nvim_buf_get_lines(scratch, 0, -1, true), "\n") .. "\n"
    local formatted = vim.fn.system({ program, "fmt", "-" }, own)
    -- An editor always has a line.
    if formatted == "" then formatted = "\n" end
    if (vim.v.shell_error == 0) ~= (answer.err == nil) then different = different or own end
    if answer.result and vim.v.shell_error == 0 then
        local copy = vim.api.nvim_create_buf(false, true)
        vim.api.nvim_buf_set_lines(copy, 0, -1, true, vim.api.nvim_buf_get_lines(scratch, 0, -1, true))
        vim.lsp.util.apply_text_edits(answer.result, copy, client.offset_encoding)
        local theirs = table.concat(vim.api.nvim_buf_get_lines(copy, 0, -1, true), "\n") .. "\n"
        if theirs == formatted then same = same + 1 else different = different or own end
        vim.api.nvim_buf_delete(copy, { force = true })
    end
end
check("the same text after each edit", different or "", "")
check("most of them in YAML", same > 12)

for _, buffer in ipairs({ hotel, lobby }) do
    vim.api.nvim_win_set_buf(0, buffer)
    vim.cmd("silent write")
end
vim.lsp.stop_client(id)
wait("the end", function() return exited ~= nil end)
check("a proper one", exited, 0)
say("all is well")
vim.cmd("qall!")
