// A model server in small: two layers, several workers on every device, each with its stream, its workspace and a HIP
// graph of its forward pass; library, contexts and plans are shared by all. Where mxgemm is installed:
//
//     c++ -std=c++17 server.cpp -D__HIP_PLATFORM_AMD__ -I/opt/rocm/include $(pkg-config --cflags --libs mxgemm_gfx950)
//         -L/opt/rocm/lib -lamdhip64 -pthread -o server
#include <hip/hip_runtime_api.h>
#include <mxgemm.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

constexpr int64_t rows = 16, width = 512, hidden = 256; // a request: [rows][width] through [rows][hidden] and back
constexpr size_t workers_per_device = 3, requests_per_worker = 5;

void check(mxg_status status)
{
    if (status != MXG_OK) throw std::runtime_error(mxg_last_error());
}

void check(hipError_t status)
{
    if (status != hipSuccess) throw std::runtime_error(std::string("HIP: ") + hipGetErrorString(status));
}

// Handles that go away by themselves. What goes wrong then, nobody can mend; mxgemm tells its log.
template <auto destroy>
struct Destroy {
    template <class T>
    void operator()(T *object) const
    {
        (void)destroy(object);
    }
};

template <class Pointer, auto destroy>
using Handle = std::unique_ptr<std::remove_pointer_t<Pointer>, Destroy<destroy>>;
using Library = Handle<mxg_library *, mxg_library_close>;
using Context = Handle<mxg_context *, mxg_context_destroy>;
using Plan = Handle<mxg_plan *, mxg_plan_destroy>;
using Stream = Handle<hipStream_t, hipStreamDestroy>;
using Graph = Handle<hipGraph_t, hipGraphDestroy>;
using GraphExec = Handle<hipGraphExec_t, hipGraphExecDestroy>;
using DeviceMemory = Handle<void *, hipFree>;

// Of a function that writes a handle to its last argument.
template <class Owner, class Function, class... Arguments>
Owner made_by(Function function, Arguments... arguments)
{
    typename Owner::pointer made = nullptr;
    check(function(arguments..., &made));
    return Owner(made);
}

DeviceMemory allocate(uint64_t bytes)
{
    void *memory = nullptr;
    if (bytes > 0) check(hipMalloc(&memory, bytes));
    return DeviceMemory(memory);
}

DeviceMemory filled(uint64_t bytes, int value)
{
    DeviceMemory memory = allocate(bytes);
    check(hipMemset(memory.get(), value, bytes));
    return memory;
}

uint16_t to_bf16(float value) // of a value that has as few bits
{
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<uint16_t>(bits >> 16);
}

mxg_problem layer_problem(int64_t n, int64_t k)
{
    mxg_problem problem = MXG_PROBLEM_INIT;
    problem.m = rows, problem.n = n, problem.k = k;
    problem.b_layout = problem.scale_layout = MXG_LAYOUT_SHUFFLED;
    return problem;
}

// y = x * W^T. This model's weights are all 2^-log2_k, a mean of x: any layout of them has the same bytes.
class Layer
{
  public:
    Layer(mxg_context *context, int64_t n, int64_t k, int log2_k)
    {
        const mxg_problem problem = layer_problem(n, k);
        uint64_t scale_bytes;
        check(mxg_scale_bytes(n, k, MXG_LAYOUT_SHUFFLED, &scale_bytes));
        plan_ = made_by<Plan>(mxg_plan_create, context, &problem);
        codes_ = filled(static_cast<uint64_t>(n * k / 2), 0x22); // two codes of 1 a byte
        scales_ = filled(scale_bytes, 127 - log2_k);
    }

    const mxg_plan *plan() const
    {
        return plan_.get();
    }

    void run(const void *x, void *y, void *workspace, uint64_t workspace_bytes, hipStream_t stream) const
    {
        mxg_buffers buffers = MXG_BUFFERS_INIT;
        buffers.a = x, buffers.b = codes_.get(), buffers.b_scale = scales_.get(), buffers.c = y;
        check(mxg_run(plan_.get(), &buffers, workspace, workspace_bytes, stream));
    }

  private:
    Plan plan_;
    DeviceMemory codes_, scales_;
};

// What the workers on one device share. Read-only once it is made.
struct Model {
    Model(mxg_library *library, int device_) : device(device_)
    {
        check(hipSetDevice(device)); // for hipMalloc; mxgemm is told
        mxg_options options = MXG_OPTIONS_INIT;
        options.device = device;
        context = made_by<Context>(mxg_context_create, library, &options);
        const mxg_problem needed[] = {layer_problem(hidden, width), layer_problem(width, hidden)};
        check(mxg_warm(context.get(), needed, std::size(needed))); // the only kernel loads of this server
        down = std::make_unique<Layer>(context.get(), hidden, width, 9);
        up = std::make_unique<Layer>(context.get(), width, hidden, 8);
        check(hipDeviceSynchronize()); // the weights are there before other streams read them
    }

    int device;
    Context context;
    std::unique_ptr<Layer> down, up;
};

class Worker
{
  public:
    explicit Worker(const Model &model)
    {
        check(hipSetDevice(model.device)); // of this thread
        hipStream_t stream = nullptr;
        check(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
        stream_.reset(stream);
        input_ = allocate(elements * sizeof(uint16_t));
        middle_ = allocate(rows * hidden * sizeof(uint16_t));
        output_ = allocate(elements * sizeof(uint16_t));
        // One workspace for both layers: they run one after the other.
        const uint64_t bytes =
            std::max(mxg_plan_workspace_bytes(model.down->plan()), mxg_plan_workspace_bytes(model.up->plan()));
        workspace_ = allocate(bytes);
        check(mxg_workspace_init(model.down->plan(), workspace_.get(), bytes, stream));

        // Thread-local: other workers may allocate meanwhile. If a call fails, the worker is gone and the stream too.
        check(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
        model.down->run(input_.get(), middle_.get(), workspace_.get(), bytes, stream);
        model.up->run(middle_.get(), output_.get(), workspace_.get(), bytes, stream);
        const Graph graph = made_by<Graph>(hipStreamEndCapture, stream);
        hipGraphExec_t executable = nullptr;
        check(hipGraphInstantiate(&executable, graph.get(), nullptr, nullptr, 0));
        graph_.reset(executable);
    }

    std::vector<uint16_t> answer(const std::vector<uint16_t> &request)
    {
        std::vector<uint16_t> result(elements);
        const size_t bytes = elements * sizeof(uint16_t);
        check(hipMemcpyAsync(input_.get(), request.data(), bytes, hipMemcpyHostToDevice, stream_.get()));
        check(hipGraphLaunch(graph_.get(), stream_.get()));
        check(hipMemcpyAsync(result.data(), output_.get(), bytes, hipMemcpyDeviceToHost, stream_.get()));
        check(hipStreamSynchronize(stream_.get()));
        return result;
    }

    static constexpr size_t elements = rows * width;

  private:
    DeviceMemory input_, middle_, output_, workspace_;
    Stream stream_; // goes before the memory that it uses, and after the graph
    GraphExec graph_;
};

// Serves requests of equal values, whose means are these values, exactly. Counts wrong answers.
int serve(const Model &model, size_t number)
{
    static constexpr float values[] = {0.5f, 1, 1.5f, 2, 3, 4, 6};
    Worker worker(model);
    int wrong = 0;
    for (size_t i = 0; i < requests_per_worker; i++) {
        const uint16_t value = to_bf16(values[(number + i) % std::size(values)]);
        const std::vector<uint16_t> result = worker.answer(std::vector<uint16_t>(Worker::elements, value));
        wrong += std::any_of(result.begin(), result.end(), [=](uint16_t element) { return element != value; });
    }
    return wrong;
}

void run()
{
    const Library library = made_by<Library>(mxg_library_open_gfx950);
    int devices = 0;
    check(hipGetDeviceCount(&devices));
    std::vector<std::unique_ptr<Model>> models;
    for (int device = 0; device < devices; device++) models.push_back(std::make_unique<Model>(library.get(), device));

    std::vector<std::future<int>> workers; // which carry a worker's exception too
    for (size_t i = 0; i < models.size() * workers_per_device; i++)
        workers.push_back(std::async(std::launch::async, serve, std::cref(*models[i % models.size()]), i));
    int wrong = 0;
    for (std::future<int> &worker : workers) wrong += worker.get();
    std::printf("devices: %zu, workers: %zu, answers: %zu, wrong: %d\n", models.size(), workers.size(),
                workers.size() * requests_per_worker, wrong);
    if (wrong > 0) throw std::runtime_error("an answer is wrong");
}

} // namespace

int main()
{
    try {
        run();
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "server: %s\n", error.what());
        return 1;
    }
}
